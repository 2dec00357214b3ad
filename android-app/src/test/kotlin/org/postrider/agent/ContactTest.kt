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

    /** A process begins. */
    private fun begin() = Contact(context) { nowMs }.apply { begin() }

    private fun pass(minutes: Long) {
        nowMs += minutes * 60_000
    }

    @Test
    fun `a hub that was not heard of for more than an hour is long ago, also over restarts`() {
        begin()
        pass(40)
        val contact = begin()
        pass(19)
        assertFalse(contact.isLongAgo())
        pass(2)
        assertTrue(contact.isLongAgo())
        contact.made()
        assertFalse(contact.isLongAgo())
    }

    @Test
    fun `a process that has just begun may yet speak with the hub`() {
        begin()
        pass(90)
        val contact = begin()
        pass(5)
        assertFalse(contact.isLongAgo())
        pass(1)
        assertTrue(contact.isLongAgo())
    }

    @Test
    fun `a contact that lasted until the process ended counts until then`() {
        val before = begin()
        repeat(9) {
            pass(15)
            before.lasts()
        }
        val after = begin()
        pass(59)
        assertFalse(after.isLongAgo())
        pass(2)
        assertTrue(after.isLongAgo())
    }

    @Test
    fun `another hub is not missed for what the last one did`() {
        val contact = begin()
        contact.lost()
        pass(90)
        contact.forget()
        contact.begin()
        pass(30)
        assertFalse(contact.isLongAgo())
    }
}
