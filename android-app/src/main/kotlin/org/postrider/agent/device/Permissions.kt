package org.postrider.agent.device

import android.app.Activity
import android.content.Context
import android.content.SharedPreferences
import android.content.pm.PackageManager
import android.os.Build
import java.util.EnumSet

/** Knows what the owner has allowed, and what he does not want to be asked again. */
object Permissions {
    private const val FILE = "permits"
    private const val SKIPPED = "skipped"
    private const val SHUT = "shut"
    private const val WANTED = "wanted"

    /** What is asked for together before the phone joins a hub; the platform shows one dialog for each group. */
    val FIRST: List<Permit> = listOf(Permit.SIMS, Permit.SEND, Permit.RECEIVE, Permit.NOTIFICATIONS)

    /** Returns whether the platform allows everything that a permit stands for. */
    fun isGiven(context: Context, permit: Permit): Boolean =
        Build.VERSION.SDK_INT < permit.since || permit.permissions.all {
            context.checkSelfPermission(it) == PackageManager.PERMISSION_GRANTED
        }

    /** Returns what is not allowed, in the order of asking. */
    fun missing(context: Context): List<Permit> = Permit.values().filterNot { isGiven(context, it) }

    /** Returns what to ask for next, or null when everything is allowed or skipped. */
    fun next(context: Context): Permit? {
        val skipped = skipped(context)
        return missing(context).firstOrNull { it !in skipped && (it in FIRST || isWanted(context, it)) }
    }

    /** Returns whether something needed it before. */
    fun isWanted(context: Context, permit: Permit): Boolean = permit in read(context, WANTED)

    /** Remembers that something needs it. */
    fun want(context: Context, permit: Permit) {
        if (!isWanted(context, permit)) write(context, WANTED, read(context, WANTED) + permit)
    }

    /** The owner answered for a permit; [permissions] are those that he answered. */
    fun answered(screen: Activity, permit: Permit, permissions: Array<out String>) {
        // An empty answer was interrupted.
        if (permissions.isEmpty()) return
        val mayAskAgain = permit.permissions.any(screen::shouldShowRequestPermissionRationale)
        setShut(screen, permit, !isGiven(screen, permit) && !mayAskAgain)
    }

    /** Returns what the owner has put off. */
    fun skipped(context: Context): Set<Permit> = read(context, SKIPPED)

    /** Remembers that the owner has put something off. */
    fun skip(context: Context, permit: Permit) = write(context, SKIPPED, skipped(context) + permit)

    /** Returns whether the platform no longer asks for it: then only its settings can change it. */
    fun isShut(context: Context, permit: Permit): Boolean = permit in read(context, SHUT)

    /** Remembers whether the platform still asks for something. */
    fun setShut(context: Context, permit: Permit, isShut: Boolean) {
        val shut = read(context, SHUT)
        write(context, SHUT, if (isShut) shut + permit else shut - permit)
    }

    private fun read(context: Context, name: String): Set<Permit> {
        val names = file(context).getStringSet(name, emptySet()).orEmpty()
        return Permit.values().filterTo(EnumSet.noneOf(Permit::class.java)) { it.name in names }
    }

    private fun write(context: Context, name: String, permits: Set<Permit>) =
        file(context).edit().putStringSet(name, permits.mapTo(HashSet()) { it.name }).apply()

    private fun file(context: Context): SharedPreferences =
        context.getSharedPreferences(FILE, Context.MODE_PRIVATE)
}
