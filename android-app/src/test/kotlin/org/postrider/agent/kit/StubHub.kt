package org.postrider.agent.kit

import org.json.JSONObject
import org.postrider.core.Invitation
import org.postrider.core.readInvitation
import java.io.BufferedReader
import java.io.Closeable
import java.io.IOException
import java.net.HttpURLConnection
import java.net.URL
import java.util.concurrent.TimeUnit

/**
 * The hub double in its own process, on free ports of loopback, driven by its control interface.
 *
 * A scenario itself says how long it lasts.
 */
class StubHub(vararg arguments: String) : Closeable {
    private val process = ProcessBuilder(
        listOf(System.getProperty("postrider.server_stub"), "--json") +
            (if ("--scenario" in arguments) emptyList() else listOf("--timeout", "600")) + arguments,
    ).redirectError(ProcessBuilder.Redirect.INHERIT).start()
    private val said = process.inputStream.bufferedReader()
    private val ready = JSONObject(said.readLine())

    /** The invitation with which a phone joins it. */
    val invitation: Invitation = readInvitation(ready.getString("pairing_uri"))

    /** Sends a step of a scenario to the control interface. */
    fun say(name: String, json: String = ""): JSONObject = JSONObject(exchange("POST", "/$name", json))

    /** Reads `state`, `inbound`, `pairing` or `verdict`. */
    fun read(name: String): String = exchange("GET", "/$name", "")

    /** Waits until everything in a scenario's `wait` is true. */
    fun await(json: String) {
        exchange("POST", "/wait", json)
    }

    /** Waits until a scenario that ends by itself has ended. */
    fun awaitEnd() {
        check(process.waitFor(END_S, TimeUnit.SECONDS)) { "the scenario does not end" }
    }

    /** Ends the run, unless it is over, and returns the verdict. */
    fun verdict(): JSONObject {
        try {
            exchange("POST", "/stop", "")
        } catch (_: IOException) {
            // The scenario has ended.
        }
        return JSONObject(said.readLine())
    }

    override fun close() {
        process.destroy()
        if (!process.waitFor(5, TimeUnit.SECONDS)) process.destroyForcibly()
    }

    private fun exchange(method: String, path: String, body: String): String {
        val connection = URL(ready.getString("control_url") + path).openConnection() as HttpURLConnection
        connection.requestMethod = method
        if (method == "POST") {
            connection.doOutput = true
            connection.outputStream.use { it.write(body.toByteArray()) }
        }
        check(connection.responseCode < 300) { path + ": " + connection.errorStream?.reader()?.readText() }
        return connection.inputStream.bufferedReader().use(BufferedReader::readText)
    }

    private companion object {
        const val END_S = 240L
    }
}
