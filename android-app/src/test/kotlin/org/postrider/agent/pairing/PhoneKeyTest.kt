package org.postrider.agent.pairing

import android.content.pm.PackageManager
import android.security.keystore.KeyPermanentlyInvalidatedException
import android.security.keystore.StrongBoxUnavailableException
import org.junit.After
import org.junit.Assert.assertArrayEquals
import org.junit.Assert.assertEquals
import org.junit.Assert.assertFalse
import org.junit.Assert.assertThrows
import org.junit.Assert.assertTrue
import org.junit.Before
import org.junit.Test
import org.junit.runner.RunWith
import org.postrider.agent.kit.SoftwareKeystore
import org.postrider.core.ShellException
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import org.robolectric.shadows.ShadowSystemClock
import java.math.BigInteger
import java.security.InvalidKeyException
import java.security.KeyPairGenerator
import java.security.ProviderException
import java.security.Signature
import java.security.interfaces.ECPublicKey
import java.security.spec.ECGenParameterSpec
import java.security.spec.ECPoint
import java.time.Duration

@RunWith(RobolectricTestRunner::class)
class PhoneKeyTest {
    private val context = RuntimeEnvironment.getApplication()
    private var losses = 0
    private val key = PhoneKey(context) { losses++ }

    @Before
    fun setUp() = SoftwareKeystore.install()

    @After
    fun tearDown() = SoftwareKeystore.remove()

    @Test
    fun `the public key is an uncompressed point and stays the same`() {
        val point = key.publicKey()
        assertEquals(65, point.size)
        assertEquals(4, point[0].toInt())
        assertArrayEquals(point, key.publicKey())
        assertArrayEquals(point, PhoneKey(context).publicKey())
    }

    @Test
    fun `short coordinates are filled up`() {
        key.publicKey()
        val alias = SoftwareKeystore.keys.keys.single()
        val maker = KeyPairGenerator.getInstance("EC").apply { initialize(ECGenParameterSpec("secp256r1")) }
        val coordinates = listOf<(ECPoint) -> BigInteger>(ECPoint::getAffineX, ECPoint::getAffineY)
        for (coordinate in coordinates) {
            val made = generateSequence(maker::generateKeyPair)
                .first { coordinate((it.public as ECPublicKey).w).bitLength() <= 248 }
            SoftwareKeystore.keys[alias] = made
            val point = key.publicKey()
            assertEquals(65, point.size)
            val (x, y) = point.drop(1).chunked(32).map { BigInteger(1, it.toByteArray()) }
            assertEquals((made.public as ECPublicKey).w, ECPoint(x, y))
        }
    }

    @Test
    fun `a signature is one of the public key`() {
        key.publicKey()
        val bytes = "a nonce".toByteArray()
        val signature = key.sign(bytes)
        val verifier = Signature.getInstance("SHA256withECDSA")
        verifier.initVerify(SoftwareKeystore.keys.values.single().public)
        verifier.update(bytes)
        assertTrue(verifier.verify(signature))
    }

    @Test
    fun `a key that is gone is lost, and not made anew`() {
        key.publicKey()
        SoftwareKeystore.keys.clear()
        repeat(10) {
            assertThrows(ShellException.Failed::class.java) { key.sign(ByteArray(1)) }
            assertThrows(ShellException.Failed::class.java) { PhoneKey(context).publicKey() }
            ShadowSystemClock.advanceBy(Duration.ofMinutes(1))
        }
        assertThrows(ShellException.KeyLost::class.java) { key.sign(ByteArray(1)) }
        assertThrows(ShellException.KeyLost::class.java) { key.publicKey() }
        assertTrue(key.isLost)
        assertEquals(2, losses)
        assertTrue(SoftwareKeystore.keys.isEmpty())
    }

    @Test
    fun `a lost key is replaced, and lost until the phone is paired by the other`() {
        val before = key.publicKey()
        SoftwareKeystore.keys.clear()
        assertThrows(ShellException.Failed::class.java) { key.publicKey() }
        ShadowSystemClock.advanceBy(Duration.ofMinutes(10))
        assertThrows(ShellException.KeyLost::class.java) { key.publicKey() }
        key.forget()
        assertFalse(before.contentEquals(key.publicKey()))
        assertTrue(key.isLost)
        key.accept()
        assertFalse(key.isLost)
    }

    @Test
    fun `a keystore that is busy has not lost the key`() {
        key.publicKey()
        SoftwareKeystore.fault = { throw ProviderException("busy") }
        assertThrows(ShellException.Failed::class.java) { key.sign(ByteArray(1)) }
        SoftwareKeystore.fault = {}
        assertFalse(key.isLost)
        key.sign(ByteArray(1))
    }

    @Test
    fun `a keystore that fails now and then, as if the key was gone, has not lost it`() {
        key.publicKey()
        repeat(3) {
            SoftwareKeystore.fault = { throw InvalidKeyException("Keystore operation failed", ProviderException("busy")) }
            assertThrows(ShellException.Failed::class.java) { key.sign(ByteArray(1)) }
            ShadowSystemClock.advanceBy(Duration.ofMinutes(9))
            SoftwareKeystore.fault = {}
            key.sign(ByteArray(1))
        }
        assertFalse(key.isLost)
    }

    @Test
    fun `a key that the platform made invalid is lost`() {
        key.publicKey()
        SoftwareKeystore.fault = { throw ProviderException(KeyPermanentlyInvalidatedException("+15005550100")) }
        assertThrows(ShellException.KeyLost::class.java) { key.sign(ByteArray(1)) }
        assertTrue(key.isLost)
    }

    @Test
    @Config(sdk = [30, 33, 35, 36])
    fun `a secure element makes the key where there is one that can`() {
        shadowOf(context.packageManager).setSystemFeature(PackageManager.FEATURE_STRONGBOX_KEYSTORE, true)
        key.publicKey()
        assertEquals(listOf(true), SoftwareKeystore.asked.map { it.isStrongBoxBacked })
    }

    @Test
    @Config(sdk = [30, 33, 35, 36])
    fun `a secure element that is full leaves the key to the usual keystore`() {
        shadowOf(context.packageManager).setSystemFeature(PackageManager.FEATURE_STRONGBOX_KEYSTORE, true)
        SoftwareKeystore.fault = {
            if (SoftwareKeystore.asked.lastOrNull()?.isStrongBoxBacked == true) throw StrongBoxUnavailableException()
        }
        assertEquals(65, key.publicKey().size)
        assertEquals(listOf(true, false), SoftwareKeystore.asked.map { it.isStrongBoxBacked })
    }

    @Test
    @Config(sdk = [30, 33, 35, 36])
    fun `a secure element that fails in whatever way leaves the key to the usual keystore`() {
        shadowOf(context.packageManager).setSystemFeature(PackageManager.FEATURE_STRONGBOX_KEYSTORE, true)
        SoftwareKeystore.fault = {
            if (SoftwareKeystore.asked.lastOrNull()?.isStrongBoxBacked == true) {
                throw ProviderException("Keystore key generation failed")
            }
        }
        assertEquals(65, key.publicKey().size)
        assertFalse(key.isLost)
    }
}
