package org.postrider.agent.screens

import android.content.ComponentName
import org.postrider.agent.R

/**
 * Makers whose phones end apps in the background in their own ways, what their owners have to
 * set, and the pages for it. A page may exist on some models only.
 */
enum class Maker(val guidance: Int, private val names: Set<String>, val pages: List<ComponentName>) {
    XIAOMI(
        R.string.maker_xiaomi, setOf("xiaomi", "redmi", "poco"),
        listOf(page("com.miui.securitycenter", "com.miui.permcenter.autostart.AutoStartManagementActivity")),
    ),
    HUAWEI(
        R.string.maker_huawei, setOf("huawei", "honor"),
        listOf(
            page("com.huawei.systemmanager", ".startupmgr.ui.StartupNormalAppListActivity"),
            page("com.hihonor.systemmanager", ".startupmgr.ui.StartupNormalAppListActivity"),
            page("com.huawei.systemmanager", ".optimize.process.ProtectActivity"),
        ),
    ),
    OPPO(
        R.string.maker_oppo, setOf("oppo", "realme", "oneplus"),
        listOf(
            page("com.coloros.safecenter", ".startupapp.StartupAppListActivity"),
            page("com.coloros.safecenter", ".permission.startup.StartupAppListActivity"),
            page("com.oneplus.security", ".chainlaunch.view.ChainLaunchAppListActivity"),
        ),
    ),
    VIVO(
        R.string.maker_vivo, setOf("vivo", "iqoo"),
        listOf(
            page("com.vivo.permissionmanager", ".activity.BgStartUpManagerActivity"),
            page("com.iqoo.secure", ".ui.phoneoptimize.BgStartUpManager"),
        ),
    ),
    SAMSUNG(
        R.string.maker_samsung, setOf("samsung"),
        listOf(
            page("com.samsung.android.lool", "com.samsung.android.sm.battery.ui.BatteryActivity"),
            page("com.samsung.android.lool", "com.samsung.android.sm.ui.battery.BatteryActivity"),
        ),
    ),
    TRANSSION(
        R.string.maker_transsion, setOf("tecno", "infinix", "itel", "transsion"),
        listOf(page("com.transsion.phonemaster", "com.cyin.himgr.autostart.AutoStartActivity")),
    ),
    ASUS(
        R.string.maker_asus, setOf("asus"),
        listOf(page("com.asus.mobilemanager", ".autostart.AutoStartActivity")),
    ),
    NOKIA(
        R.string.maker_nokia, setOf("nokia", "hmd global"),
        listOf(page("com.evenwell.powersaving.g3", ".exception.PowerSaverExceptionActivity")),
    ),
    ;

    companion object {
        /** Returns the maker of a phone, or null when we know nothing special about it. */
        fun of(manufacturer: String?): Maker? {
            val name = manufacturer.orEmpty().trim().lowercase()
            return values().firstOrNull { maker -> maker.names.any { name == it || name.startsWith("$it ") } }
        }
    }
}

private fun page(app: String, activity: String) =
    ComponentName(app, if (activity.startsWith(".")) app + activity else activity)
