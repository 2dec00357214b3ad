package org.postrider.agent.screens

import android.Manifest.permission
import android.app.Activity
import android.content.Context
import android.content.Intent
import android.content.pm.PackageManager
import android.net.Uri
import android.os.Bundle
import android.provider.Settings
import android.view.View
import android.view.ViewGroup.LayoutParams.MATCH_PARENT
import android.widget.FrameLayout
import android.widget.LinearLayout
import org.postrider.agent.R
import org.postrider.agent.radio.holds
import org.postrider.agent.scan.Camera

/** Looks for a hub's QR code with the phone's camera, and returns its link to the screen that asked. */
class ScanActivity : Activity() {
    private lateinit var words: Column
    private lateinit var frame: FrameLayout
    private var trouble: Int? = null
    private var isShut = false

    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        setTitle(R.string.scanning)
        words = Column(this)
        frame = FrameLayout(this).apply { visibility = View.GONE }
        val all = LinearLayout(this).apply {
            orientation = LinearLayout.VERTICAL
            addView(page(this@ScanActivity, words), LinearLayout.LayoutParams(MATCH_PARENT, 0, 1f))
            addView(frame, LinearLayout.LayoutParams(MATCH_PARENT, 0, FRAME_WEIGHT))
        }
        setContentView(all)
        keepClearOfBars(all)
        show()
        if (state == null && !isAllowed()) ask()
    }

    override fun onResume() {
        super.onResume()
        begin()
        show()
    }

    override fun onPause() {
        end()
        super.onPause()
    }

    private fun isAllowed() = holds(permission.CAMERA)

    private fun ask() = requestPermissions(arrayOf(permission.CAMERA), 0)

    override fun onRequestPermissionsResult(code: Int, permissions: Array<out String>, results: IntArray) {
        // An empty answer was interrupted.
        isShut = permissions.isNotEmpty() && !isAllowed() && !shouldShowRequestPermissionRationale(permission.CAMERA)
        begin()
        show()
    }

    private fun begin() {
        if (!isAllowed() || frame.childCount > 0) return
        trouble = null
        val camera = Camera(this, { runOnUiThread { found(it) } }, { runOnUiThread(::cameraFailed) })
        frame.addView(Viewfinder(this, camera), FrameLayout.LayoutParams(MATCH_PARENT, MATCH_PARENT))
    }

    private fun end() = frame.removeAllViews()

    private fun cameraFailed() {
        if (isFinishing || frame.childCount == 0) return
        end()
        trouble = R.string.scan_no_camera
        show()
    }

    /** Another kind of code is reported, and the search goes on. */
    internal fun found(text: String) {
        if (isFinishing) return
        if (Invitations.read(text) is Invitations.Read) {
            setResult(RESULT_OK, Intent().setData(Uri.parse(text.trim())))
            finish()
        } else if (trouble != R.string.scan_other_code) {
            trouble = R.string.scan_other_code
            show()
        }
    }

    private fun show() {
        frame.visibility = if (frame.childCount > 0) View.VISIBLE else View.GONE
        val about = if (isAllowed()) R.string.scan_about else R.string.scan_permission
        val title = listOf(Line.Title(getString(R.string.scanning)), Line.Text(getString(about)))
        val said = trouble?.let { Line.Text(getString(it), isLive = true, tone = Tone.ALERT) }
        words.show(title + listOfNotNull(said, allow().takeIf { !isAllowed() }) +
            Line.Button(getString(R.string.scan_type), Rank.QUIET) { finish() })
    }

    private fun allow(): Line = when {
        isShut -> Line.Button(getString(R.string.open_app_settings), Rank.MAIN) {
            opened(Intent(Settings.ACTION_APPLICATION_DETAILS_SETTINGS, Uri.fromParts("package", packageName, null)))
        }
        else -> Line.Button(getString(R.string.allow), Rank.MAIN) { ask() }
    }

    companion object {
        private const val FRAME_WEIGHT = 2f

        /** Returns whether the phone has a camera. */
        fun isPossible(context: Context): Boolean =
            context.packageManager.hasSystemFeature(PackageManager.FEATURE_CAMERA_ANY)
    }
}
