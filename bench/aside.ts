/** The load of a benchmark runs in a process of its own, so that it does not take the time of what it measures. */
import { fork } from 'node:child_process'

const MARK = '--aside'

export const isAside = process.argv.includes(MARK)

export interface Aside<Work, Result> {
  run(work: Work): Promise<Result>
  end(): void
}

/** Starts the calling file once more as the one that works. */
export function startAside<Work, Result>(file: string): Aside<Work, Result> {
  const child = fork(file, [MARK], { execArgv: ['--import', 'tsx'], serialization: 'advanced' })
  return {
    run: (work) =>
      new Promise((resolve, reject) => {
        child.once('exit', (code) => reject(new Error(`the load ended with ${code}`)))
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

/** What the second process does with each piece of work. */
export function serveAside<Work, Result>(handle: (work: Work) => Promise<Result>): void {
  process.on('message', (work: Work) => {
    handle(work).then(
      (result) => process.send!({ result }),
      (error: Error) => process.send!({ error: error.message }),
    )
  })
}
