package org.postrider.agent.radio

import android.content.ContentProvider
import android.content.ContentValues
import android.database.Cursor
import android.database.sqlite.SQLiteDatabase
import android.net.Uri
import org.junit.rules.ExternalResource
import org.robolectric.Robolectric

/**
 * The platform's providers of messages and calls: their tables with the platform's columns, in memory.
 *
 * Source: `TelephonyProvider` and `CallLogProvider` of Android 15.
 */
class Provider : ContentProvider() {
    private val database: SQLiteDatabase by lazy {
        SQLiteDatabase.create(null).also { TABLES.forEach(it::execSQL) }
    }

    /** How the provider fails, if it does. */
    @Volatile
    var failure: RuntimeException? = null

    fun put(table: String, vararg columns: Pair<String, Any?>): Long {
        val values = ContentValues()
        for ((name, value) in columns) {
            when (value) {
                null -> values.putNull(name)
                is Long -> values.put(name, value)
                is Int -> values.put(name, value)
                is ByteArray -> values.put(name, value)
                else -> values.put(name, value.toString())
            }
        }
        return database.insertOrThrow(table, null, values)
    }

    override fun onCreate() = true

    /** A database that is left to the garbage collector would crash all tests. */
    override fun shutdown() = database.close()

    override fun query(
        uri: Uri,
        columns: Array<String>?,
        where: String?,
        arguments: Array<String>?,
        order: String?,
    ): Cursor {
        failure?.let { throw it }
        val path = uri.pathSegments
        val (table, own) = when {
            uri.authority == "sms" -> "sms" to "type = " + (if (path.single() == "inbox") 1 else 2)
            uri.authority == "call_log" && path == listOf("calls") -> "calls" to "1"
            path == listOf("inbox") -> "pdu" to "msg_box = 1"
            path.last() == "addr" -> "addr" to "msg_id = " + path.first()
            path.last() == "part" -> "part" to "mid = " + path.first()
            else -> error("no such table")
        }
        val both = if (where == null) own else own + " AND (" + where + ")"
        return database.query(table, columns, both, arguments, null, null, order)
    }

    override fun getType(uri: Uri): String? = null

    override fun insert(uri: Uri, values: ContentValues?): Uri? = null

    override fun delete(uri: Uri, where: String?, arguments: Array<String>?) = 0

    override fun update(uri: Uri, values: ContentValues?, where: String?, arguments: Array<String>?) = 0

    companion object {
        private val TABLES = listOf(
            """
            CREATE TABLE sms (_id INTEGER PRIMARY KEY, thread_id INTEGER, address TEXT, person INTEGER, date INTEGER,
            date_sent INTEGER DEFAULT 0, protocol INTEGER, read INTEGER, status INTEGER, type INTEGER,
            reply_path_present INTEGER, subject TEXT, body TEXT, service_center TEXT, locked INTEGER,
            sub_id INTEGER DEFAULT -1, error_code INTEGER, creator TEXT, seen INTEGER)
            """,
            """
            CREATE TABLE pdu (_id INTEGER PRIMARY KEY, thread_id INTEGER, date INTEGER, date_sent INTEGER DEFAULT 0,
            msg_box INTEGER, read INTEGER, m_id TEXT, sub TEXT, sub_cs INTEGER, m_type INTEGER, tr_id TEXT,
            sub_id INTEGER DEFAULT -1, seen INTEGER, creator TEXT, text_only INTEGER)
            """,
            """
            CREATE TABLE addr (_id INTEGER PRIMARY KEY, msg_id INTEGER, contact_id INTEGER, address TEXT, type INTEGER,
            charset INTEGER)
            """,
            """
            CREATE TABLE part (_id INTEGER PRIMARY KEY, mid INTEGER, seq INTEGER DEFAULT 0, ct TEXT, name TEXT,
            chset INTEGER, cd TEXT, fn TEXT, cid TEXT, cl TEXT, _data TEXT, text TEXT)
            """,
            """
            CREATE TABLE calls (_id INTEGER PRIMARY KEY, number TEXT, presentation INTEGER DEFAULT 1,
            post_dial_digits TEXT, date INTEGER, duration INTEGER, type INTEGER, features INTEGER,
            subscription_component_name TEXT, subscription_id TEXT, new INTEGER, name TEXT)
            """,
        )
    }
}

/** Providers that exist during a test. */
class Providers(vararg authorities: String) : ExternalResource() {
    private val asked = authorities.toList()
    private val providers = HashMap<String, Provider>()

    operator fun get(authority: String): Provider = providers.getValue(authority)

    override fun before() {
        for (authority in asked) {
            providers[authority] = Robolectric.buildContentProvider(Provider::class.java).create(authority).get()
        }
    }

    override fun after() = providers.values.forEach(Provider::shutdown)
}
