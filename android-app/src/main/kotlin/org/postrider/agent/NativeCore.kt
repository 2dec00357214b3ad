package org.postrider.agent

/**
 * Loads the core by the platform's own way, before JNA finds it by name: so its `JNI_OnLoad` runs, and its log lines
 * go to logcat from the first one on.
 */
internal object NativeCore {
    /** JNA's way to name another file, which the tests on a computer go. */
    private const val OVERRIDE = "uniffi.component.postrider_android.libraryOverride"
    private const val NAME = "postrider_android"

    /** Loads it once; how is a parameter for tests alone. */
    fun load(load: (String) -> Unit = System::loadLibrary) {
        if (System.getProperty(OVERRIDE) == null) load(NAME)
    }
}
