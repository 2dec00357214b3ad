package org.postrider.agent

import android.content.Context
import org.postrider.agent.device.ConditionReader
import org.postrider.agent.device.SimReader
import org.postrider.agent.service.BusyLock
import org.postrider.agent.service.WakeAlarm
import org.postrider.agent.service.Wakefulness

/** Objects that the parts of the host share, each made once. */
internal class HostParts(val context: Context) {
    val settings = Settings(context)
    val sims = SimReader(context, settings)
    val conditions = ConditionReader(context, settings, sims)
    val thread = HostThread()
    val book = OwnerBook(context)
    val wakefulness = Wakefulness(WakeAlarm(context), BusyLock(context))
    val board = Board(thread)
}
