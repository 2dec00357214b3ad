package org.postrider.agent.service

import android.app.job.JobInfo
import android.app.job.JobParameters
import android.app.job.JobScheduler
import android.app.job.JobService
import android.content.ComponentName
import android.content.Context
import org.postrider.agent.PostriderApp

/** Checks every quarter of an hour that the agent runs: a maker's battery saver may have ended it. */
class Watchdog : JobService() {
    override fun onStartJob(params: JobParameters): Boolean {
        PostriderApp.of(this).host.look { jobFinished(params, false) }
        return true
    }

    override fun onStopJob(params: JobParameters): Boolean = false

    companion object {
        private const val JOB = 1
        private const val PERIOD_MS = 15 * 60_000L

        /** Starts the checks, also after a restart of the phone. */
        fun begin(context: Context) {
            val jobs = context.getSystemService(JobScheduler::class.java) ?: return
            if (jobs.getPendingJob(JOB) != null) return
            val job = JobInfo.Builder(JOB, ComponentName(context, Watchdog::class.java))
            jobs.schedule(job.setPeriodic(PERIOD_MS).setPersisted(true).build())
        }

        /** Stops the checks: the owner stopped the agent, or it has no hub. */
        fun end(context: Context) {
            context.getSystemService(JobScheduler::class.java)?.cancel(JOB)
        }
    }
}
