package org.postrider.agent

import android.app.Application
import android.content.Context

/** The app's process: it holds the one owner of the Rust agent. */
class PostriderApp : Application() {
    /** Made when it is first asked for, so that a process that was woken for nothing stays small. */
    val host: AgentHost by lazy { AgentHost(this) }

    companion object {
        /** Returns the app that a component belongs to. */
        fun of(context: Context): PostriderApp = context.applicationContext as PostriderApp
    }
}
