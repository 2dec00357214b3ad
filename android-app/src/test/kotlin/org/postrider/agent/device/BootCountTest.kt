package org.postrider.agent.device

import android.content.Context
import android.provider.Settings
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment

@RunWith(RobolectricTestRunner::class)
class BootCountTest {
    private val context: Context = RuntimeEnvironment.getApplication()

    private fun boots(count: Int) = Settings.Global.putInt(context.contentResolver, Settings.Global.BOOT_COUNT, count)

    @Test
    fun `each boot has a count of its own, where the platform keeps one`() {
        assertNull(BootCount.read(context))
        boots(7)
        assertEquals(7u, BootCount.read(context))
        boots(8)
        assertEquals(8u, BootCount.read(context))
    }
}
