package org.postrider.agent.radio

import android.app.Application
import android.content.BroadcastReceiver
import android.content.Context
import android.content.Intent
import android.os.Bundle
import android.os.Looper
import org.junit.Assert.assertNotNull
import org.postrider.core.MessageRef
import org.postrider.core.RadioFact
import org.postrider.core.SendToken
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.shadows.ShadowBroadcastPendingResult
import org.robolectric.util.ReflectionHelpers
import org.robolectric.util.ReflectionHelpers.ClassParameter
import java.util.concurrent.Future
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit

const val ALICE = "+15005550001"
const val BOB = "+15005550002"

/** Subscriptions of the two slots. */
const val FIRST_SUBSCRIPTION = 3
const val SECOND_SUBSCRIPTION = 7

/** A wait that is long only if there is a defect. */
const val PATIENCE_S = 120L

val app: Application get() = RuntimeEnvironment.getApplication()

fun token(id: String = "SMaaaaaaaaaaaaaa", ep: Int = 1, attempt: Int = 1) =
    SendToken(MessageRef(id, ep.toUInt()), attempt.toUInt())

fun grant(vararg permissions: String) = shadowOf(app).grantPermissions(*permissions)

fun revoke(vararg permissions: String) = shadowOf(app).denyPermissions(*permissions)

/** Slots that a test fills. */
class Slots(vararg filled: Pair<Int, Int>) : SimSlots {
    private val subscriptions = HashMap(filled.associate { (slot, subscription) -> slot.toUByte() to subscription })

    override fun slots(): List<UByte> = subscriptions.keys.sorted()

    override fun slotOf(subscription: Int): UByte? = subscriptions.entries.find { it.value == subscription }?.key

    override fun subscriptionOf(slot: UByte): Int? = subscriptions[slot]

    fun remove(slot: Int) {
        subscriptions.remove(slot.toUByte())
    }

    companion object {
        fun two() = Slots(0 to FIRST_SUBSCRIPTION, 1 to SECOND_SUBSCRIPTION)
    }
}

/** Receives facts in place of the agent. */
class Facts : (RadioFact) -> Unit {
    private val heard = LinkedBlockingQueue<RadioFact>()

    override fun invoke(fact: RadioFact) = heard.put(fact)

    fun keep(fact: RadioFact): Boolean {
        heard.put(fact)
        return true
    }

    /** Waits for the next fact, which the main thread may have to report. */
    fun next(): RadioFact {
        val until = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_S)
        while (System.nanoTime() < until) {
            shadowOf(Looper.getMainLooper()).idle()
            heard.poll(5, TimeUnit.MILLISECONDS)?.let { return it }
        }
        throw AssertionError("no fact came")
    }

    /** Returns what was reported so far, by this thread or the main one. */
    fun all(): List<RadioFact> {
        shadowOf(Looper.getMainLooper()).idle()
        return ArrayList<RadioFact>().also { heard.drainTo(it) }
    }
}

/** Delivers a broadcast to a receiver, like the platform; the result is done when the receiver is. */
fun BroadcastReceiver.hear(intent: Intent, code: Int = 0): Future<BroadcastReceiver.PendingResult> {
    val pending = ReflectionHelpers.callStaticMethod<BroadcastReceiver.PendingResult>(
        ShadowBroadcastPendingResult::class.java,
        "create",
        ClassParameter.from(Int::class.java, code),
        ClassParameter.from(String::class.java, null),
        ClassParameter.from(Bundle::class.java, null),
        ClassParameter.from(Boolean::class.java, false),
    )
    ReflectionHelpers.callInstanceMethod<Unit>(
        BroadcastReceiver::class.java, this, "setPendingResult",
        ClassParameter.from(BroadcastReceiver.PendingResult::class.java, pending),
    )
    onReceive(app, intent)
    return shadowOf(pending).future
}

/** The same, and waits until the receiver is done. */
fun BroadcastReceiver.hearOut(intent: Intent, code: Int = 0) {
    assertNotNull(hear(intent, code).get(PATIENCE_S, TimeUnit.SECONDS))
}

/** Keeps facts in place of the app's host. */
internal fun keeping(facts: Facts): Keep = { _: Context, fact -> facts.keep(fact) }
