/** The check of the store in a process of its own, because a damaged database can end the process that reads it, or hold it. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { doctorEntry } from '../worker-programs.ts'
import { type CheckResult, fail } from './check.ts'
import { RESTORE } from './home.ts'
import type { StoreAnswer, StoreJob } from './worker.ts'

/** How a check of the store runs. */
export interface StoreCheck extends StoreJob {
  /** Time after which the check is given up. */
  readonly limitMs: number
  /** Receives the number of keys that were read. */
  readonly onKeys?: (count: number) => void
}

/** Resolves with the results of `checkStore`, or with a failure that says how its process ended, or that its time is over. */
export function checkStoreApart(check: StoreCheck, entry: URL = doctorEntry()): Promise<readonly CheckResult[]> {
  const { limitMs, onKeys, ...job } = check
  return new Promise((resolve) => {
    const child = fork(fileURLToPath(entry), { execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    let results: readonly CheckResult[] | undefined
    let keys = 0
    let isLate = false
    let said = ''
    const timer = setTimeout(() => {
      isLate = true
      child.kill('SIGKILL')
    }, limitMs)
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(0, 4096)
    })
    child.on('message', (message: StoreAnswer) => {
      if ('results' in message) {
        results = message.results
        return
      }
      keys = message.keys
      onKeys?.(keys)
    })
    child.once('error', (error) => resolve([fail('store', `cannot be checked: ${error.message}`, RESTORE)]))
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      if (results) return resolve(results)
      if (isLate) return resolve([lateResult(limitMs, keys)])
      const how = signal ?? `exit code ${code}`
      const line = said.split('\n').find((one) => one.trim() !== '')
      const why = line === undefined ? '' : `: ${line.trim()}`
      resolve([fail('store', `the database is damaged: reading it ended the process (${how})${why}`, RESTORE)])
    })
    child.send(job, () => undefined)
  })
}

function lateResult(limitMs: number, keys: number): CheckResult {
  const found = `not checked within ${limitMs / 1000} s, after ${keys} keys`
  return keys > 0
    ? fail('store', found, 'repeat with a longer --timeout')
    : fail(
        'store',
        `${found}: the disk is slow, or the database is damaged`,
        `repeat with a longer --timeout; else ${RESTORE}`,
      )
}
