/** A separate process for the load of a benchmark, so that the load does not take time of the measured process. */
import { fork } from 'node:child_process'

const MARK = '--aside'

export const isAside = process.argv.includes(MARK)

export interface Aside<Work, Result> {
  run(work: Work): Promise<Result>
  end(): void
}

/** Starts the calling file a second time, as the process that does the work. */
export function startAside<Work, Result>(file: string): Aside<Work, Result> {
  const child = fork(file, [MARK], { execArgv: ['--import', 'tsx'], serialization: 'advanced' })
  return {
    run: (work) =>
      new Promise((resolve, reject) => {
        child.once('exit', (code) => reject(new Error(`the load process exited with ${code}`)))
        child.once('message', (answer: { result?: Result; error?: string }) => {
          child.removeAllListeners('exit')
          if (answer.error === undefined) resolve(answer.result!)
          else reject(new Error(answer.error))
        })
        child.send(work as object)
      }),
    end: () => void child.kill(),
  }
}

/** Handles each piece of work in the second process. */
export function serveAside<Work, Result>(handle: (work: Work) => Promise<Result>): void {
  process.on('message', (work: Work) => {
    handle(work).then(
      (result) => process.send!({ result }),
      (error: Error) => process.send!({ error: error.message }),
    )
  })
}
