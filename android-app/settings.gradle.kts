// For people with Android Studio; not run by the project, which builds with scripts/build-apk.
pluginManagement {
    repositories {
        google()
        mavenCentral()
    }
}

dependencyResolutionManagement {
    repositoriesMode.set(RepositoriesMode.FAIL_ON_PROJECT_REPOS)
    repositories {
        mavenCentral()
        // Android Studio's own parts; the app takes nothing from there.
        google { mavenContent { includeGroupByRegex("com\\.android.*") } }
    }
}

rootProject.name = "postrider-agent"
