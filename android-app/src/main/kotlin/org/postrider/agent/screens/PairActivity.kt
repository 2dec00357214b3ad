package org.postrider.agent.screens

import android.content.Intent
import android.os.Build
import android.os.Bundle
import android.provider.Settings
import android.view.WindowManager.LayoutParams.FLAG_KEEP_SCREEN_ON
import org.postrider.agent.PairingProgress
import org.postrider.agent.R
import org.postrider.agent.device.Permissions
import org.postrider.agent.isGoingOn
import org.postrider.core.Invitation

/**
 * Joins a hub, one question after the other: by the link in the hub's QR code, which this app or the phone's own
 * camera reads, or by a typed address and code.
 */
class PairActivity : Screen(R.string.pairing) {
    private enum class Step { MOVE, FORM, FORWARDING, PERMITS, PROGRESS }

    private var step = Step.FORM
    private var invited: Invitation? = null
    private var wrong: String? = null
    private var stale: Stale? = null

    /** The owner wants to leave the present hub and join this one. */
    private var isMoving = false

    /** The exemption from battery saving was asked for: the status comes next. */
    private var isBatteryAsked = false

    /** A link was opened during a pairing. */
    private var isAnotherInvited = false
    private val back = BackSteps(this, ::stepBack)

    private class Stale(val progress: PairingProgress?)

    override fun onCreate(state: Bundle?) {
        if (state == null) begin(intent)
        super.onCreate(state)
        if (state == null && step == Step.FORM && intent.getBooleanExtra(SCAN, false)) scan()
    }

    override fun onResume() {
        super.onResume()
        if (isBatteryAsked) status()
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
        // Any page can open a link, so it must not end a running pairing: only the owner does.
        isAnotherInvited = link != null && status.pairing.isGoingOn()
        if (isAnotherInvited) return goOn()
        invited = null
        wrong = null
        link?.let(::take)
        step = when {
            link == null && status.pairing.isGoingOn() -> Step.PROGRESS
            status.paired != null -> Step.MOVE
            else -> Step.FORM
        }
    }

    private fun goOn() {
        step = Step.PROGRESS
    }

    private fun take(link: String) {
        when (val read = Invitations.read(link)) {
            is Invitations.Read -> invited = read.invitation
            is Invitations.Wrong -> wrong = read.field
        }
    }

    override fun lines(): List<Line> = stepLines().also { watchOver() }

    /** While digits are compared, the screen stays on; Back is handled if there is a step before. */
    private fun watchOver() {
        val isRunning = step == Step.PROGRESS && control.status().pairing.isGoingOn()
        if (isRunning) window.addFlags(FLAG_KEEP_SCREEN_ON) else window.clearFlags(FLAG_KEEP_SCREEN_ON)
        back.enable(stepBefore() != null)
    }

    /** Returns the step before this one; null if Back leaves the page. A running pairing goes on without it. */
    private fun stepBefore(): Step? = when (step) {
        Step.MOVE -> null
        Step.FORM -> Step.MOVE.takeIf { control.status().paired != null }
        Step.FORWARDING -> Step.FORM
        Step.PERMITS -> Step.FORWARDING
        Step.PROGRESS -> Step.FORM.takeUnless { control.status().pairing.isGoingOn() || control.status().paired != null }
    }

    private fun stepBack() {
        val before = stepBefore() ?: return finish()
        if (step == Step.PROGRESS) control.cancelPairing()
        // Typed input is typed again; a link is kept.
        goTo(before)
    }

    @Deprecated("Android 15 and older")
    override fun onBackPressed() = stepBack()

    private fun stepLines(): List<Line> = when (step) {
        Step.MOVE -> move()
        Step.FORM -> form()
        Step.FORWARDING -> forwarding()
        Step.PERMITS -> permits()
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
            Line.Button(getString(R.string.go_on_pairing), Rank.MAIN) { check() },
        )
    }

    private fun scan() = startActivityForResult(Intent(this, ScanActivity::class.java), SCANNED)

    @Deprecated("What is offered instead comes with a library")
    override fun onActivityResult(request: Int, result: Int, data: Intent?) {
        val link = data?.dataString
        if (request != SCANNED || result != RESULT_OK || link == null) return
        wrong = null
        take(link)
        goTo(Step.FORM)
    }

    /** The phone's name in its own settings. */
    private fun usualName() = Settings.Global.getString(contentResolver, Settings.Global.DEVICE_NAME) ?: Build.MODEL

    private fun typed(): List<Line> = listOfNotNull(
        says(R.string.pair_about),
        Line.Button(getString(R.string.scan_code), Rank.MAIN) { scan() }.takeIf { ScanActivity.isPossible(this) },
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

    /** Yes and no look the same: the owner decides. */
    private fun forwarding(): List<Line> = listOf(
        Line.Heading(getString(R.string.forward_question)),
        says(R.string.forward_yes_means),
        says(R.string.forward_no_means),
        Line.Button(getString(R.string.forward_yes)) { forward(true) },
        Line.Button(getString(R.string.forward_no)) { forward(false) },
    )

    private fun forward(isWanted: Boolean) {
        control.settings.isForwarding = isWanted
        if (missing().isEmpty()) return ask()
        goTo(Step.PERMITS)
        request()
    }

    private fun missing() = Permissions.FIRST.filterNot { Permissions.isGiven(this, it) }

    /** Stands behind the platform's dialogs, and stays when they are dismissed. */
    private fun permits(): List<Line> = listOf(says(R.string.permits_about)) + missing().flatMap { permit ->
        listOf(Line.Heading(getString(permit.title)), says(permit.reason), says(permit.without, tone = Tone.QUIET))
    } + listOf(
        Line.Button(getString(R.string.allow), Rank.MAIN) { request() },
        Line.Button(getString(R.string.not_now)) { ask() },
    )

    /** All at once: the platform asks for them one after the other. */
    private fun request() = requestPermissions(missing().flatMap { it.permissions }.toTypedArray(), PERMITS)

    override fun onRequestPermissionsResult(code: Int, permissions: Array<out String>, results: IntArray) {
        // An empty answer was interrupted.
        if (code != PERMITS || step != Step.PERMITS || permissions.isEmpty()) return
        Permissions.FIRST.forEach { Permissions.answered(this, it, permissions) }
        control.permissionsChanged()
        ask()
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
        PairingProgress.Asking -> another() +
            listOf(live(R.string.asking, invited?.hub.orEmpty()), says(R.string.asking_about)) + stop()
        is PairingProgress.Comparing -> comparing(progress.digits)
        is PairingProgress.Invalid -> listOf(live(PairingWords.wrong(progress.field))) + again()
        is PairingProgress.Over -> PairingWords.of(resources, progress.outcome, hub()).let { words ->
            listOf(Line.Text(words.what, isLive = true)) + listOfNotNull(words.todo?.let { Line.Text(it) }) +
                if (words.isPaired) onward() else listOf(again())
        }
    }

    /** Until the agent has taken the owner's wish, it still shows how the last pairing ended. */
    private fun fresh(progress: PairingProgress?): PairingProgress? {
        if (progress != null) isMoving = progress == PairingProgress.Leaving && invited != null
        val before = stale ?: return progress ?: PairingProgress.Asking.takeIf { isMoving }
        stale = if (progress == null) Stale(null) else before.takeIf { it.progress == progress }
        return if (stale == null) progress else PairingProgress.Asking
    }

    private fun interrupted() =
        if (control.status().paired == null) listOf(live(R.string.interrupted)) + again()
        else listOf(live(R.string.paired_now, hub())) + onward()

    private fun another() =
        if (isAnotherInvited) listOf(says(R.string.another_invitation, tone = Tone.ALERT)) else emptyList()

    private fun comparing(digits: String): List<Line> = another() + listOf(
        says(R.string.compare),
        PairingWords.digits(resources, digits),
        says(R.string.compare_about),
        Line.Button(getString(R.string.digits_differ)) { giveUp() },
    )

    private fun hub() = control.status().paired?.host.orEmpty()

    private fun live(text: Int, vararg arguments: Any) = Line.Text(getString(text, *arguments), isLive = true)

    private fun stop() = Line.Button(getString(R.string.give_up_pairing)) { giveUp() }

    private fun giveUp() {
        isAnotherInvited = false
        control.cancelPairing()
        goTo(Step.FORM)
    }

    private fun again() = Line.Button(getString(R.string.try_again), Rank.MAIN) {
        control.cancelPairing()
        invited = null
        wrong = null
        goTo(if (control.status().paired == null) Step.FORM else Step.MOVE)
    }

    /** The next thing to do: needed permissions, the battery, and then nothing. */
    private fun onward(): List<Line> = when {
        missing().any { it.isNeeded } -> listOf(
            Line.Button(getString(R.string.go_on_permissions), Rank.MAIN) {
                control.cancelPairing()
                startActivity(Intent(this, PermissionsActivity::class.java))
                finish()
            },
        )
        KeepRunningActivity.isBatteryExempt(this) -> listOf(Line.Button(getString(R.string.done), Rank.MAIN) { status() })
        else -> listOf(
            Line.Heading(getString(R.string.battery)),
            says(R.string.battery_reason),
            Line.Button(getString(R.string.battery_ask), Rank.MAIN) {
                isBatteryAsked = opened(KeepRunningActivity.exemption(this))
                if (!isBatteryAsked) status()
            },
            Line.Button(getString(R.string.not_now)) { status() },
        )
    }

    private fun status() {
        control.cancelPairing()
        startActivity(Intent(this, StatusActivity::class.java).addFlags(Intent.FLAG_ACTIVITY_CLEAR_TOP))
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
        state.putBoolean(BATTERY, isBatteryAsked)
        invited?.let {
            state.putString(HUB, it.hub)
            state.putString(CODE, it.code)
            state.putStringArray(PINS, it.pins.toTypedArray())
        }
    }

    override fun restore(state: Bundle) {
        step = state.getString(STEP)?.let(Step::valueOf) ?: Step.FORM
        wrong = state.getString(WRONG)
        isBatteryAsked = state.getBoolean(BATTERY)
        invited = state.getString(HUB)?.let { hub ->
            Invitation(hub, state.getString(CODE).orEmpty(), state.getStringArray(PINS).orEmpty().toList())
        }
    }

    companion object {
        /** Set in an intent: open the camera at once. */
        const val SCAN = "scan"

        private const val STEP = "step"
        private const val WRONG = "wrong"
        private const val HUB = "hub"
        private const val CODE = "code"
        private const val PINS = "pins"
        private const val BATTERY = "battery"
        private const val SCANNED = 100
        private const val PERMITS = 101
        private const val HUB_HINT = "https://hub.example.org"
        private const val CODE_HINT = "ABCD-EFGH-JKLM"
    }
}
