/** The terminal of a command: output and prompts. */
import { createInterface } from 'node:readline'
import { systemReason } from '../node/system-reason.ts'
import { visibleText } from '../primitives/visible-text.ts'
import { ERASE_LINE } from './erase-line.ts'

export interface Terminal {
  /** Prints a result on standard output. `otherwise` is printed on standard error if the system refuses the result. */
  print(text: string, otherwise?: string): void
  /** Prints any other message on standard error. */
  note(text: string): void
  /** Writes a line on standard error over the one before, with at most `columns` characters. Absent if that is no terminal. */
  readonly redraw?: ((text: string) => void) | undefined
  /** Width of that terminal; 80 if it is not known. */
  readonly columns?: number | undefined
  /** Whether standard input is a terminal, so that a person can confirm. */
  readonly interactive: boolean
  /** Asks for one line. Resolves to undefined at the end of input. */
  ask(question: string): Promise<string | undefined>
  /** Asks for one line without echo. Resolves to undefined at the end of input. */
  askSecret(question: string): Promise<string | undefined>
}

/** Exit code after Ctrl-C, as of a shell. */
const INTERRUPTED = 130

/** Creates the terminal of this process. From a pipe, each question reads one line. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr } = process
  const nextLine = createLineReader(stdin)
  let isDrawn = false
  const erase = (): void => {
    if (isDrawn) stderr.write(ERASE_LINE)
    isDrawn = false
  }
  const note = (text: string): void => {
    erase()
    stderr.write(`${visibleText(text)}\n`)
  }
  const redraw = (text: string): void => {
    // The cursor stays at the begin, so that what others write begins there.
    stderr.write(`${ERASE_LINE}${text}\r`)
    isDrawn = text !== ''
  }
  return {
    print: (text, otherwise) => {
      erase()
      stdout.write(`${text}\n`, (error) => {
        if (error && otherwise !== undefined && systemReason(error) !== undefined) note(otherwise)
      })
    },
    note,
    redraw: stderr.isTTY === true ? redraw : undefined,
    columns: stderr.columns,
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

/** Returns a function that reads one line and then pauses the input, so that an open pipe does not keep the process alive. */
function createLineReader(input: NodeJS.ReadStream): () => Promise<string | undefined> {
  let text = ''
  const takeLine = (): string | undefined => {
    const end = text.indexOf('\n')
    if (end < 0) return undefined
    const line = text.slice(0, end).replace(/\r$/, '')
    text = text.slice(end + 1)
    return line
  }
  return () =>
    new Promise((resolve) => {
      const line = takeLine()
      if (line !== undefined) return resolve(line)
      const finish = (answer: string | undefined) => {
        input.pause()
        input.off('data', read)
        input.off('end', end)
        // A pipe is a socket. A file has no `unref` and does not keep the process alive.
        input.unref?.()
        resolve(answer)
      }
      const read = (data: Buffer) => {
        text += data.toString('utf8')
        const found = takeLine()
        if (found !== undefined) finish(found)
      }
      const end = () => {
        const rest = text
        text = ''
        finish(rest === '' ? undefined : rest)
      }
      if (input.readableEnded) return end()
      input.on('data', read)
      input.on('end', end)
      input.ref?.()
      input.resume()
    })
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
