package org.postrider.agent

import android.content.Context
import org.postrider.agent.device.Permissions

/** The platform's permissions that the app asks for and does not have. */
internal object MissingPermissions {
    fun read(context: Context): List<String> = Permissions.missing(context).flatMap { it.permissions }
}
