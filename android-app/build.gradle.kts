// For people with Android Studio; not run by the project, which builds with scripts/build-apk and tests with
// scripts/test. The same sources and libraries as pom.xml. docs/android.md says what it needs.
import org.jetbrains.kotlin.gradle.dsl.JvmTarget

plugins {
    id("com.android.application") version "8.13.0"
    id("org.jetbrains.kotlin.android") version "2.4.0"
}

val jnaVersion = "5.18.1"
val zxingVersion = "3.5.3"
val robolectricVersion = "4.16.1"
val workspace = rootDir.parentFile
val coreLibraries = layout.buildDirectory.dir("core/libraries")
val coreKotlin = layout.buildDirectory.dir("core/kotlin")
val hostLibrary = File(System.getenv("CARGO_TARGET_DIR") ?: "$workspace/target", "debug/" + System.mapLibraryName("postrider_android"))

// The workspace's version, and a number from it that rises with it (android-app/tools/steps.sh makes the same).
val cargoToml = providers.fileContents(layout.projectDirectory.file("../Cargo.toml")).asText
val appVersion = cargoToml.map { Regex("^version = \"(.*)\"$", RegexOption.MULTILINE).find(it)!!.groupValues[1] }.get()
val appVersionCode = appVersion.split('-', '+').first().split('.').map(String::toInt)
    .let { (major, minor, patch) -> major * 1_000_000 + minor * 1_000 + patch }

// Android Studio, started from a menu, has not the PATH of a shell: cargo is where rustup puts it.
val cargoHome = File(System.getenv("CARGO_HOME") ?: "${System.getProperty("user.home")}/.cargo")
val cargo = cargoHome.resolve("bin/cargo").takeIf { it.exists() }?.path ?: "cargo"
val pathWithCargo = cargoHome.resolve("bin").path + File.pathSeparator + System.getenv("PATH")

// What aapt2 reads in the manifest, Android's plugin wants to hear from this file alone.
val pluginManifest by tasks.registering(Copy::class) {
    from("src/main/AndroidManifest.xml")
    into(layout.buildDirectory.dir("manifest"))
    filter { line: String -> line.replace(Regex("package=\"[^\"]*\""), "").replace(Regex("<uses-sdk[^>]*/>"), "") }
}

android {
    namespace = "org.postrider.agent"
    compileSdk = 36
    // Android Studio fetches it, and tells below where it is.
    ndkVersion = "28.2.13676358"

    defaultConfig {
        applicationId = "org.postrider.agent"
        minSdk = 26
        targetSdk = 36
        versionCode = appVersionCode
        versionName = appVersion
    }

    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_1_8
        targetCompatibility = JavaVersion.VERSION_1_8
    }

    sourceSets {
        getByName("main") {
            manifest.srcFile(layout.buildDirectory.file("manifest/AndroidManifest.xml"))
            kotlin.srcDirs("src/main/kotlin", coreKotlin)
            jniLibs.srcDir(coreLibraries)
        }
        getByName("debug") { kotlin.srcDir("src/debug/kotlin") }
        getByName("test") { kotlin.srcDir("src/test/kotlin") }
    }

    packaging { jniLibs { useLegacyPackaging = true } }

    testOptions {
        unitTests {
            isIncludeAndroidResources = true
            all {
                it.systemProperty("uniffi.component.postrider_android.libraryOverride", hostLibrary.path)
                it.systemProperty("postrider.server_stub", hostLibrary.resolveSibling("server-stub").path)
            }
        }
    }
}

kotlin { compilerOptions { jvmTarget.set(JvmTarget.JVM_1_8) } }

dependencies {
    implementation("net.java.dev.jna:jna:$jnaVersion@aar")
    implementation("com.google.zxing:core:$zxingVersion")
    testImplementation("net.java.dev.jna:jna:$jnaVersion")
    testImplementation("junit:junit:4.13.2")
    // src/test/java/androidx stands in for what Robolectric calls of these.
    testImplementation("org.robolectric:robolectric:$robolectricVersion") {
        exclude(group = "androidx.test")
        exclude(group = "androidx.test.espresso")
    }
}

val hostCore by tasks.registering(Exec::class) {
    workingDir = workspace
    environment("PATH", pathWithCargo)
    commandLine(cargo, "build", "--locked", "-p", "postrider-android", "-p", "postrider-bindgen", "-p", "server-stub")
}

val coreBindings by tasks.registering(Exec::class) {
    dependsOn(hostCore)
    workingDir = workspace
    outputs.dir(coreKotlin)
    outputs.upToDateWhen { false }
    environment("PATH", pathWithCargo)
    val folder = coreKotlin.get().asFile.path
    val generator = hostLibrary.resolveSibling("postrider-bindgen").path
    commandLine(generator, "generate", "--no-format", "-l", "kotlin", "--out-dir", folder, hostLibrary.path)
}

val coreForPhones by tasks.registering(Exec::class) {
    workingDir = workspace
    outputs.dir(coreLibraries)
    // Cargo knows what is new.
    outputs.upToDateWhen { false }
    val folder = coreLibraries.get().asFile.path
    val phones = listOf("arm64-v8a", "armeabi-v7a", "x86_64").flatMap { listOf("--target", it) }
    val crate = listOf("-p", "postrider-android", "--lib", "--crate-type", "cdylib", "--features", "logcat")
    // An NDK that is named goes before the one of Android Studio.
    val ndk = androidComponents.sdkComponents.ndkDirectory
    doFirst { environment("ANDROID_NDK_HOME", System.getenv("ANDROID_NDK_HOME") ?: ndk.get().asFile.path) }
    environment("PATH", pathWithCargo)
    environment("CARGO_ENCODED_RUSTFLAGS", "-Clink-arg=-Wl,-z,max-page-size=16384")
    commandLine(
        listOf(cargo, "ndk") + phones + listOf("--platform", "26", "--output-dir", folder) +
            listOf("rustc", "--locked", "--profile", "android") + crate,
    )
}

tasks.named("preBuild") { dependsOn(coreBindings, coreForPhones, pluginManifest) }
