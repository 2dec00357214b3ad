package org.postrider.agent.calls

import android.Manifest.permission.CALL_PHONE
import android.Manifest.permission.READ_PHONE_STATE
import android.content.Context
import android.net.Uri
import android.os.Bundle
import android.telecom.PhoneAccount
import android.telecom.TelecomManager
import org.postrider.agent.Trouble
import org.postrider.agent.device.Permissions
import org.postrider.agent.device.Permit
import org.postrider.agent.radio.holds
import org.postrider.core.CallRefusal
import org.postrider.core.PlaceCall
import org.postrider.core.RadioFact

/** Places voice calls by the requested SIM; refusals are reported here, everything else by the line. */
internal class CallPlacer(
    private val context: Context,
    private val accounts: PhoneAccounts,
    private val tell: (RadioFact) -> Unit,
) {
    fun place(task: PlaceCall) {
        val refusal = refusalOf(task) ?: return
        tell(RadioFact.CallRefused(task.token, refusal))
    }

    private fun refusalOf(task: PlaceCall): CallRefusal? {
        if (!context.holds(CALL_PHONE)) Permissions.want(context, Permit.CALLS)
        // Without the second, we cannot know which account is the SIM's.
        if (!context.holds(CALL_PHONE) || !context.holds(READ_PHONE_STATE)) return CallRefusal.NOT_PERMITTED
        val telecom = context.getSystemService(TelecomManager::class.java) ?: return CallRefusal.NO_ACCOUNT
        val account = accounts.accountOf(task.sim) ?: return CallRefusal.NO_ACCOUNT
        val by = Bundle().apply { putParcelable(TelecomManager.EXTRA_PHONE_ACCOUNT_HANDLE, account) }
        return try {
            telecom.placeCall(Uri.fromParts(PhoneAccount.SCHEME_TEL, task.to, null), by)
            null
        } catch (error: SecurityException) {
            Trouble.failed("placing a call", error)
            CallRefusal.NOT_PERMITTED
        } catch (error: RuntimeException) {
            Trouble.failed("placing a call", error)
            CallRefusal.OTHER
        }
    }
}
