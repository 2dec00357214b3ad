package org.postrider.agent.screens

import android.content.Context
import android.graphics.Matrix
import android.graphics.RectF
import android.graphics.SurfaceTexture
import android.util.Size
import android.view.Surface
import android.view.TextureView
import org.postrider.agent.scan.Camera

/** Shows the camera's picture, upright and undistorted, while it is on the screen. */
internal class Viewfinder(context: Context, private val camera: Camera) :
    TextureView(context), TextureView.SurfaceTextureListener {
    init {
        surfaceTextureListener = this
        importantForAccessibility = IMPORTANT_FOR_ACCESSIBILITY_NO
    }

    override fun onSurfaceTextureAvailable(texture: SurfaceTexture, width: Int, height: Int) {
        fit(width, height)
        camera.open(texture)
    }

    override fun onSurfaceTextureSizeChanged(texture: SurfaceTexture, width: Int, height: Int) = fit(width, height)

    override fun onSurfaceTextureDestroyed(texture: SurfaceTexture): Boolean {
        camera.close()
        return true
    }

    override fun onSurfaceTextureUpdated(texture: SurfaceTexture) = Unit

    private fun fit(width: Int, height: Int) {
        val size = camera.size ?: return
        setTransform(fitting(size, width, height, display?.rotation ?: Surface.ROTATION_0))
    }

    companion object {
        /** Returns the matrix that makes a camera's picture, which lies on its side, fill a view with this rotation. */
        fun fitting(picture: Size, width: Int, height: Int, rotation: Int): Matrix {
            val view = RectF(0f, 0f, width.toFloat(), height.toFloat())
            val (x, y) = Pair(view.centerX(), view.centerY())
            val isOnSide = rotation == Surface.ROTATION_90 || rotation == Surface.ROTATION_270
            val shown = RectF(0f, 0f, picture.height.toFloat(), picture.width.toFloat())
            shown.offset(x - shown.centerX(), y - shown.centerY())
            return Matrix().apply {
                setRectToRect(view, shown, Matrix.ScaleToFit.FILL)
                val high = if (isOnSide) width else height
                val wide = if (isOnSide) height else width
                val scale = maxOf(high / shown.height(), wide / shown.width())
                postScale(scale, scale, x, y)
                postRotate(-DEGREES * rotation, x, y)
            }
        }

        /** Between two positions of the phone. */
        private const val DEGREES = 90f
    }
}
