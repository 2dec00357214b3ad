package org.postrider.agent

import android.app.Application
import android.content.Context

/** The app's process: it holds the one owner of the Rust agent. */
open class PostriderApp : Application() {
    private var made: AgentHost? = null

    /** Made when it is first asked for, so that a process that was woken for nothing stays small. */
    val host: AgentHost
        @Synchronized get() = made ?: newHost().also { made = it }

    protected open fun newHost(): AgentHost {
        NativeCore.load()
        return AgentHost(this)
    }

    /** The end of a process that is played; a real one is just killed. */
    @Synchronized
    override fun onTerminate() {
        made?.close()
        made = null
        super.onTerminate()
    }

    companion object {
        /** Returns the app that a component belongs to. */
        fun of(context: Context): PostriderApp = context.applicationContext as PostriderApp
    }
}
