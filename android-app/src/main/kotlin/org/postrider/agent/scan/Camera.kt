package org.postrider.agent.scan

import android.annotation.SuppressLint
import android.content.Context
import android.graphics.ImageFormat
import android.graphics.SurfaceTexture
import android.hardware.camera2.CameraAccessException
import android.hardware.camera2.CameraCaptureSession
import android.hardware.camera2.CameraCharacteristics
import android.hardware.camera2.CameraDevice
import android.hardware.camera2.CameraManager
import android.hardware.camera2.CaptureRequest
import android.media.ImageReader
import android.os.Handler
import android.os.HandlerThread
import android.util.Size
import android.view.Surface
import org.postrider.agent.Trouble

/** The phone's camera while a screen looks for a QR code: its pictures go to a surface and to a decoder. */
class Camera(context: Context, private val seen: (String) -> Unit, private val failed: () -> Unit) {
    private val manager = context.getSystemService(CameraManager::class.java)
    private val thread = HandlerThread("camera")
    private val decoder = QrDecoder()
    private var device: CameraDevice? = null
    private var pictures: ImageReader? = null
    private var preview: Surface? = null

    /** Set once it is closed: later reports of the platform are ignored. */
    @Volatile
    private var isOver = false

    /** The picture's size before it is turned; null if the phone has no usable camera. */
    val size: Size? by lazy { name?.let(::sizeOf) }

    private val name: String? by lazy { guarded { nameOf() } }

    /** Opens it, and shows its picture on a surface. Needs the permission for it. */
    @SuppressLint("MissingPermission") // The screen asks before.
    fun open(texture: SurfaceTexture) {
        val (name, size) = Pair(name ?: return failed(), size ?: return failed())
        thread.start()
        val handler = Handler(thread.looper)
        texture.setDefaultBufferSize(size.width, size.height)
        preview = Surface(texture)
        pictures = ImageReader.newInstance(size.width, size.height, ImageFormat.YUV_420_888, PICTURES).apply {
            setOnImageAvailableListener(::look, handler)
        }
        guarded { manager?.openCamera(name, Opened(handler), handler) } ?: failed()
    }

    /** Closes it, once the picture in work is done. */
    fun close() {
        isOver = true
        if (!thread.isAlive) return
        Handler(thread.looper).post {
            device?.close()
            pictures?.close()
            preview?.release()
        }
        thread.quitSafely()
    }

    /** The newest picture counts; older ones are dropped. */
    private fun look(reader: ImageReader) {
        if (isOver) return
        val picture = try {
            reader.acquireLatestImage() ?: return
        } catch (_: IllegalStateException) {
            return
        }
        val text = picture.use {
            val plane = it.planes[0]
            val bytes = ByteArray(plane.buffer.remaining()).also(plane.buffer::get)
            decoder.read(Brightness(bytes, it.width, it.height, plane.rowStride))
        }
        if (text != null && !isOver) seen(text)
    }

    private inner class Opened(private val handler: Handler) : CameraDevice.StateCallback() {
        override fun onOpened(camera: CameraDevice) {
            if (isOver) return camera.close()
            device = camera
            guarded { begin(camera) } ?: failed()
        }

        override fun onDisconnected(camera: CameraDevice) = end(camera)
        override fun onError(camera: CameraDevice, error: Int) = end(camera)

        private fun end(camera: CameraDevice) {
            camera.close()
            if (!isOver) failed()
        }

        @Suppress("DEPRECATION") // What is offered instead is newer than our oldest platform.
        private fun begin(camera: CameraDevice) {
            val surfaces = listOfNotNull(preview, pictures?.surface)
            val request = camera.createCaptureRequest(CameraDevice.TEMPLATE_PREVIEW).apply {
                surfaces.forEach(::addTarget)
                set(CaptureRequest.CONTROL_AF_MODE, CaptureRequest.CONTROL_AF_MODE_CONTINUOUS_PICTURE)
            }
            camera.createCaptureSession(surfaces, Session(request.build(), handler), handler)
        }
    }

    private inner class Session(private val request: CaptureRequest, private val handler: Handler) :
        CameraCaptureSession.StateCallback() {
        override fun onConfigured(session: CameraCaptureSession) {
            if (!isOver) guarded { session.setRepeatingRequest(request, null, handler) } ?: failed()
        }

        override fun onConfigureFailed(session: CameraCaptureSession) {
            if (!isOver) failed()
        }
    }

    /** The back camera, else any. */
    private fun nameOf(): String? {
        val names = manager?.cameraIdList.orEmpty().toList()
        return names.firstOrNull {
            val facing = manager?.getCameraCharacteristics(it)?.get(CameraCharacteristics.LENS_FACING)
            facing == CameraCharacteristics.LENS_FACING_BACK
        } ?: names.firstOrNull()
    }

    private fun sizeOf(name: String): Size? = guarded {
        val map = manager?.getCameraCharacteristics(name)?.get(CameraCharacteristics.SCALER_STREAM_CONFIGURATION_MAP)
        best(map?.getOutputSizes(ImageFormat.YUV_420_888).orEmpty().toList())
    }

    /** Returns null for what the camera service cannot do at the moment. */
    private fun <T> guarded(act: () -> T): T? = try {
        act()
    } catch (error: CameraAccessException) {
        none(error)
    } catch (error: SecurityException) {
        none(error)
    } catch (error: IllegalStateException) {
        none(error)
    } catch (error: IllegalArgumentException) {
        none(error)
    }

    private fun none(error: Exception): Nothing? {
        Trouble.failed("using the camera", error)
        return null
    }

    companion object {
        private const val PICTURES = 2

        /** More pixels only make the decoder slower. */
        private const val PIXELS_MAX = 1280 * 960

        /** Returns the largest size that is quick to decode, else the smallest. */
        fun best(sizes: List<Size>): Size? {
            val pixels = { size: Size -> size.width * size.height }
            return sizes.filter { pixels(it) <= PIXELS_MAX }.maxByOrNull(pixels) ?: sizes.minByOrNull(pixels)
        }
    }
}
