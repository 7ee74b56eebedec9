/** The terminal as commands see it: what they print, and what they ask. */
import { createInterface } from 'node:readline'

export interface Terminal {
  /** Results: standard output. */
  print(text: string): void
  /** Everything else: standard error. */
  note(text: string): void
  /** Whether a person sits there to confirm. */
  readonly interactive: boolean
  /** One line; undefined at the end of input. */
  ask(question: string): Promise<string | undefined>
  /** One line that is not echoed; undefined at the end of input. */
  askSecret(question: string): Promise<string | undefined>
}

const INTERRUPTED = 130

/** The process's own terminal. Piped input is read line by line, one line for each question. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr } = process
  let lines: AsyncIterator<string> | undefined
  const nextLine = async (): Promise<string | undefined> => {
    lines ??= createInterface({ input: stdin })[Symbol.asyncIterator]()
    const { value, done } = await lines.next()
    return done ? undefined : value
  }
  return {
    print: (text) => void stdout.write(`${text}\n`),
    note: (text) => void stderr.write(`${text}\n`),
    interactive: stdin.isTTY === true,
    ask: async (question) => {
      if (!stdin.isTTY) return await nextLine()
      const reader = createInterface({ input: stdin, output: stderr })
      return await new Promise((resolve) => {
        reader.on('close', () => resolve(undefined))
        reader.question(`${question} `, (answer) => {
          resolve(answer)
          reader.close()
        })
      })
    },
    askSecret: async (question) => {
      if (!stdin.isTTY) return await nextLine()
      stderr.write(`${question} `)
      return await readHidden(stdin, () => stderr.write('\n'))
    },
  }
}

function readHidden(input: NodeJS.ReadStream, done: () => void): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const finish = () => {
      input.setRawMode(false)
      input.pause()
      input.off('data', take)
      done()
    }
    const take = (data: Buffer) => {
      for (const character of data.toString('utf8')) {
        if (character === '\r' || character === '\n') {
          finish()
          return resolve(text)
        }
        if (character === '\u0003') {
          finish()
          process.exit(INTERRUPTED)
        }
        text = character === '\u007f' || character === '\b' ? text.slice(0, -1) : text + character
      }
    }
    input.setRawMode(true)
    input.resume()
    input.on('data', take)
  })
}
