/** The check of the store in a process of its own, because a damaged database can end the process that reads it. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { doctorEntry } from '../worker-programs.ts'
import { type CheckResult, fail } from './check.ts'
import { RESTORE } from './home.ts'
import type { StoreJob } from './worker.ts'

/** Resolves with the results of `checkStore`, or with a failure that says how its process ended. */
export function checkStoreApart(job: StoreJob, entry: URL = doctorEntry()): Promise<readonly CheckResult[]> {
  return new Promise((resolve) => {
    const child = fork(fileURLToPath(entry), { execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    let results: readonly CheckResult[] | undefined
    let said = ''
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(0, 4096)
    })
    child.on('message', (message) => {
      results = message as readonly CheckResult[]
    })
    child.once('error', (error) => resolve([fail('store', `cannot be checked: ${error.message}`, RESTORE)]))
    child.once('close', (code, signal) => {
      const how = signal ?? `exit code ${code}`
      const line = said.split('\n').find((one) => one.trim() !== '')
      const why = line === undefined ? '' : `: ${line.trim()}`
      resolve(
        results ?? [fail('store', `the database is damaged: reading it ended the process (${how})${why}`, RESTORE)],
      )
    })
    child.send(job, () => undefined)
  })
}
