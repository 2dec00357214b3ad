package org.postrider.agent.screens

import android.content.Intent
import android.os.Build
import android.os.Bundle
import android.provider.Settings
import org.postrider.agent.PairingProgress
import org.postrider.agent.R
import org.postrider.core.Invitation

/**
 * Joins a hub, one question after the other: by the link in the hub's QR code, which the phone's
 * own camera opens, or by an address and a code that are typed.
 */
class PairActivity : Screen(R.string.pairing) {
    private enum class Step { MOVE, FORM, FORWARDING, SIMS, PROGRESS }

    private var step = Step.FORM
    private var invited: Invitation? = null
    private var wrong: String? = null
    private var stale: Stale? = null

    /** Once the other hub is left, this one is asked. */
    private var isMoving = false

    private class Stale(val progress: PairingProgress?)

    override fun onCreate(state: Bundle?) {
        if (state == null) begin(intent)
        super.onCreate(state)
    }

    override fun onNewIntent(intent: Intent) {
        super.onNewIntent(intent)
        setIntent(intent)
        begin(intent)
        show()
    }

    private fun begin(intent: Intent) {
        val link = intent.dataString
        val status = control.status()
        invited = null
        wrong = null
        link?.let(::take)
        step = when {
            link == null && status.pairing.isGoingOn() -> Step.PROGRESS
            status.paired != null -> Step.MOVE
            else -> Step.FORM
        }
        if (link != null && status.pairing.isGoingOn()) control.cancelPairing()
    }

    private fun take(link: String) {
        when (val read = Invitations.read(link)) {
            is Invitations.Read -> invited = read.invitation
            is Invitations.Wrong -> wrong = read.field
        }
    }

    override fun lines(): List<Line> = when (step) {
        Step.MOVE -> move()
        Step.FORM -> form()
        Step.FORWARDING -> forwarding()
        Step.SIMS -> sims()
        Step.PROGRESS -> progress()
    }

    private fun move(): List<Line> {
        val hub = control.status().paired?.host ?: return form()
        val other = invited?.hub
        val question = if (other == null) says(R.string.move_really, hub) else says(R.string.move_to_really, hub, other)
        return listOf(
            question,
            says(R.string.move_about, tone = Tone.QUIET),
            Line.Button(getString(R.string.move_yes)) { goTo(Step.FORM) },
            Line.Button(getString(R.string.move_no)) { finish() },
        )
    }

    private fun form(): List<Line> {
        val hub = invited?.hub
        val error = wrong?.let { Line.Text(getString(PairingWords.wrong(it)), isLive = true, tone = Tone.ALERT) }
        val where = if (hub != null) listOf(says(R.string.invited, hub), says(R.string.invited_by_whom)) else typed()
        val name = control.settings.deviceName ?: usualName()
        return listOfNotNull(error) + where + listOf(
            Line.Field(R.id.device_name, getString(R.string.device_name), name, Input.TEXT),
            Line.Button(getString(R.string.go_on_pairing)) { check() },
        )
    }

    /** What the phone is called in its own settings. */
    private fun usualName() = Settings.Global.getString(contentResolver, Settings.Global.DEVICE_NAME) ?: Build.MODEL

    private fun typed(): List<Line> = listOf(
        says(R.string.pair_about),
        Line.Field(R.id.hub_address, getString(R.string.hub_address), "", Input.ADDRESS, HUB_HINT),
        Line.Field(R.id.pairing_code, getString(R.string.pairing_code), "", Input.CODE, CODE_HINT),
    )

    private fun check() {
        wrong = null
        if (invited == null) {
            take(Invitations.link(column.typed(R.id.hub_address), column.typed(R.id.pairing_code)))
        }
        control.settings.deviceName = column.typed(R.id.device_name)
        goTo(if (invited == null) Step.FORM else Step.FORWARDING)
    }

    /** Yes and no weigh the same: the question is the owner's to answer. */
    private fun forwarding(): List<Line> = listOf(
        Line.Heading(getString(R.string.forward_question)),
        says(R.string.forward_yes_means),
        says(R.string.forward_no_means),
        Line.Button(getString(R.string.forward_yes)) { forward(true) },
        Line.Button(getString(R.string.forward_no)) { forward(false) },
    )

    private fun forward(isWanted: Boolean) {
        control.settings.isForwarding = isWanted
        if (Permissions.isGiven(this, Permit.SIMS)) ask() else goTo(Step.SIMS)
    }

    private fun sims(): List<Line> = listOf(
        Line.Heading(getString(Permit.SIMS.title)),
        says(Permit.SIMS.reason),
        says(Permit.SIMS.without, tone = Tone.QUIET),
        Line.Button(getString(R.string.allow)) {
            requestPermissions(Permit.SIMS.permissions.toTypedArray(), Permit.SIMS.ordinal)
        },
        Line.Button(getString(R.string.not_now)) { ask() },
    )

    override fun onRequestPermissionsResult(code: Int, permissions: Array<out String>, results: IntArray) {
        if (step == Step.SIMS && permissions.isNotEmpty()) ask()
    }

    private fun ask() {
        val invitation = invited ?: return goTo(Step.FORM)
        stale = Stale(control.status().pairing)
        control.beginPairing(invitation)
        goTo(Step.PROGRESS)
    }

    private fun progress(): List<Line> = when (val progress = fresh(control.status().pairing)) {
        null -> interrupted()
        PairingProgress.Leaving -> listOf(live(R.string.leaving, hub())) + stop()
        PairingProgress.Asking -> listOf(live(R.string.asking, invited?.hub.orEmpty()), says(R.string.asking_about)) + stop()
        is PairingProgress.Comparing -> comparing(progress.digits)
        is PairingProgress.Invalid -> listOf(live(PairingWords.wrong(progress.field))) + again()
        is PairingProgress.Over -> PairingWords.of(resources, progress.outcome, hub()).let { words ->
            listOf(Line.Text(words.what, isLive = true)) + listOfNotNull(words.todo?.let { Line.Text(it) }) +
                if (words.isPaired) onward() else again()
        }
    }

    /** Between the owner's wish and its hearing the agent still shows how the last pairing ended. */
    private fun fresh(progress: PairingProgress?): PairingProgress? {
        if (progress != null) isMoving = progress == PairingProgress.Leaving && invited != null
        val before = stale ?: return progress ?: PairingProgress.Asking.takeIf { isMoving }
        stale = if (progress == null) Stale(null) else before.takeIf { it.progress == progress }
        return if (stale == null) progress else PairingProgress.Asking
    }

    private fun interrupted() =
        if (control.status().paired == null) listOf(live(R.string.interrupted)) + again()
        else listOf(live(R.string.paired_now, hub())) + onward()

    private fun comparing(digits: String): List<Line> = listOf(
        says(R.string.compare),
        PairingWords.digits(resources, digits),
        says(R.string.compare_about),
        Line.Button(getString(R.string.digits_differ)) { giveUp() },
    )

    private fun hub() = control.status().paired?.host.orEmpty()

    private fun live(text: Int, vararg arguments: Any) = Line.Text(getString(text, *arguments), isLive = true)

    private fun stop() = Line.Button(getString(R.string.give_up_pairing)) { giveUp() }

    private fun giveUp() {
        control.cancelPairing()
        goTo(Step.FORM)
    }

    private fun again() = Line.Button(getString(R.string.try_again)) {
        control.cancelPairing()
        invited = null
        wrong = null
        goTo(if (control.status().paired == null) Step.FORM else Step.MOVE)
    }

    private fun onward() = Line.Button(getString(R.string.go_on_permissions)) {
        control.cancelPairing()
        startActivity(Intent(this, PermissionsActivity::class.java))
        finish()
    }

    private fun goTo(next: Step) {
        step = next
        show()
    }

    override fun onSaveInstanceState(state: Bundle) {
        super.onSaveInstanceState(state)
        state.putString(STEP, step.name)
        state.putString(WRONG, wrong)
        invited?.let {
            state.putString(HUB, it.hub)
            state.putString(CODE, it.code)
            state.putStringArray(PINS, it.pins.toTypedArray())
        }
    }

    override fun restore(state: Bundle) {
        step = state.getString(STEP)?.let(Step::valueOf) ?: Step.FORM
        wrong = state.getString(WRONG)
        invited = state.getString(HUB)?.let { hub ->
            Invitation(hub, state.getString(CODE).orEmpty(), state.getStringArray(PINS).orEmpty().toList())
        }
    }

    private companion object {
        const val STEP = "step"
        const val WRONG = "wrong"
        const val HUB = "hub"
        const val CODE = "code"
        const val PINS = "pins"
        const val HUB_HINT = "https://hub.example.org"
        const val CODE_HINT = "ABCD-EFGH-JKLM"
    }
}
