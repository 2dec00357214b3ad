package org.postrider.agent.scan

import java.awt.Color
import java.awt.RenderingHints
import java.awt.geom.AffineTransform
import java.awt.image.BufferedImage
import java.awt.image.ConvolveOp
import java.awt.image.Kernel
import java.io.File
import javax.imageio.ImageIO
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Test

/**
 * The decoder on the output of `admin pair`, as a camera would see it. The three files of `src/test/qr` are
 * from one call of the command; a test of the hub compares the terminal's with what the command prints today.
 */
class QrDecoderTest {
    private val folder = File("src/test/qr")
    private val link = File(folder, "link.txt").readText().trim()
    private val picture = ImageIO.read(File(folder, "code.png"))
    private val dark = terminal(Color.BLACK, Color(0xDD, 0xDD, 0xDD))
    private val light = terminal(Color(0xFA, 0xFA, 0xFA), Color(0x22, 0x22, 0x22))
    private val decoder = QrDecoder()

    private fun read(picture: BufferedImage): String? {
        // Rows of a camera are often longer than their visible part.
        val rowBytes = picture.width + 24
        val bytes = ByteArray(rowBytes * (picture.height - 1) + picture.width)
        for (y in 0 until picture.height) for (x in 0 until picture.width) {
            val color = Color(picture.getRGB(x, y))
            bytes[y * rowBytes + x] = (0.299 * color.red + 0.587 * color.green + 0.114 * color.blue).toInt().toByte()
        }
        return decoder.read(Brightness(bytes, picture.width, picture.height, rowBytes))
    }

    @Test
    fun `the code of a dark terminal, of a light one and of a picture is read`() {
        for ((name, source) in sources()) assertEquals(name, link, read(seen(source)))
    }

    @Test
    fun `a phone may be held at any angle`() {
        for ((name, source) in sources()) for (degrees in listOf(-90, -30, -8, 5, 15, 45, 90, 180)) {
            assertEquals("$name at $degrees", link, read(seen(source, degrees = degrees.toDouble())))
        }
    }

    @Test
    fun `a phone may look from the side`() {
        for ((name, source) in sources()) for (lean in listOf(-0.25, 0.2)) {
            assertEquals("$name leaning by $lean", link, read(seen(source, lean = lean)))
        }
    }

    @Test
    fun `the picture may be blurred, and full of noise`() {
        for ((name, source) in sources()) for (blur in listOf(3, 5)) {
            assertEquals("$name blurred by $blur", link, read(seen(source, degrees = 7.0, blur = blur, noise = 20)))
        }
    }

    @Test
    fun `the code may be small in the picture, or in a shadow`() {
        for ((name, source) in sources()) {
            assertEquals("$name, small", link, read(seen(source, side = 200)))
            assertEquals("$name, in a shadow", link, read(seen(source, shadow = 0.45)))
        }
    }

    @Test
    fun `where no code is, none is read`() {
        assertNull(read(BufferedImage(640, 480, BufferedImage.TYPE_INT_RGB)))
    }

    private fun sources() = listOf("a dark terminal" to dark, "a light terminal" to light, "a picture" to picture)

    /** Draws half blocks like a terminal: each character is two modules high. */
    private fun terminal(ground: Color, ink: Color): BufferedImage {
        val lines = File(folder, "terminal.txt").readLines().filter { it.isNotEmpty() }
        val width = lines.maxOf { it.length }
        val drawn = BufferedImage((width + 4) * CELL, (lines.size * 2 + 4) * CELL, BufferedImage.TYPE_INT_RGB)
        val pen = drawn.createGraphics()
        pen.color = ground
        pen.fillRect(0, 0, drawn.width, drawn.height)
        pen.color = ink
        lines.forEachIndexed { row, line ->
            line.forEachIndexed { column, block ->
                val (x, y) = Pair((column + 2) * CELL, (row * 2 + 2) * CELL)
                if (block in "█▀") pen.fillRect(x, y, CELL, CELL)
                if (block in "█▄") pen.fillRect(x, y + CELL, CELL, CELL)
            }
        }
        return drawn
    }

    /** Returns a camera's view of a code on a grey table. */
    private fun seen(
        code: BufferedImage, degrees: Double = 0.0, lean: Double = 0.0, side: Int = 420, blur: Int = 1, noise: Int = 0,
        shadow: Double = 0.0,
    ): BufferedImage {
        val seen = BufferedImage(960, 720, BufferedImage.TYPE_INT_RGB)
        val pen = seen.createGraphics()
        pen.color = Color.GRAY
        pen.fillRect(0, 0, seen.width, seen.height)
        pen.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR)
        val scale = side.toDouble() / maxOf(code.width, code.height)
        pen.drawImage(code, AffineTransform().apply {
            translate(seen.width / 2.0, seen.height / 2.0)
            rotate(Math.toRadians(degrees))
            shear(lean, lean / 2)
            scale(scale, scale)
            translate(-code.width / 2.0, -code.height / 2.0)
        }, null)
        val soft = if (blur == 1) seen else ConvolveOp(
            Kernel(blur, blur, FloatArray(blur * blur) { 1f / (blur * blur) }), ConvolveOp.EDGE_NO_OP, null,
        ).filter(seen, null)
        return worn(soft, noise, shadow)
    }

    /** Adds the same noise every time, and a shadow that grows from left to right. */
    private fun worn(picture: BufferedImage, noise: Int, shadow: Double): BufferedImage {
        val random = java.util.Random(1)
        for (y in 0 until picture.height) for (x in 0 until picture.width) {
            val light = 1 - shadow * x / picture.width
            val grain = if (noise == 0) 0 else random.nextInt(2 * noise + 1) - noise
            val color = Color(picture.getRGB(x, y))
            val (red, green, blue) = listOf(color.red, color.green, color.blue)
                .map { (it * light + grain).toInt().coerceIn(0, 255) }
            picture.setRGB(x, y, Color(red, green, blue).rgb)
        }
        return picture
    }

    private companion object {
        const val CELL = 8
    }
}
