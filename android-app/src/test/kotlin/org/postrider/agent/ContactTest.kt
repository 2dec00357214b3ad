package org.postrider.agent

import android.content.Context
import org.junit.Assert.assertFalse
import org.junit.Assert.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment

@RunWith(RobolectricTestRunner::class)
class ContactTest {
    private val context: Context = RuntimeEnvironment.getApplication()
    private var nowMs = 1_800_000_000_000

    private fun contact() = Contact(context) { nowMs }

    @Test
    fun `a hub that was not heard of for more than an hour is long ago, also over restarts`() {
        contact().begin()
        nowMs += 40 * 60_000
        contact().begin()
        assertFalse(contact().isLongAgo())
        nowMs += 40 * 60_000
        assertTrue(contact().isLongAgo())
        contact().made()
        assertFalse(contact().isLongAgo())
    }

    @Test
    fun `another hub is not missed for what the last one did`() {
        contact().lost()
        nowMs += 90 * 60_000
        contact().forget()
        contact().begin()
        assertFalse(contact().isLongAgo())
    }
}
