/** The answers of a batch: one text while they are short, else sent one after the other, as fast as the client reads. */
import type { BodySink, StreamedBody } from '../transport/spool.ts'
import type { RpcCall } from './method.ts'

/** Size of the answers above which they are streamed. */
const STREAM_FROM_BYTES = 256 * 1024

export interface BatchAnswers {
  /** Returns the size of all answers so far. Unit: characters. */
  size(): number
  /** Adds an answer. Resolves when the client has room for the next one, or has disconnected. */
  add(text: string): Promise<void> | undefined
  /**
   * Adds an answer that is sent in parts, of `size` characters. Returns false, and does not call `send`, if the batch cannot
   * be streamed. `before` is the text that precedes the answer.
   */
  addParts(size: number, send: (sink: BodySink, before: string) => Promise<void>): Promise<void> | false
  /** Ends the batch. Returns its text; undefined if it has no answers, or they were streamed. */
  end(): string | undefined
  /** Forgets the answers of a client that has disconnected. */
  drop(): void
}

/** Creates the answers of one batch. Without `onStream` they are one text in any case. */
export function createBatchAnswers(
  { hold = () => {} }: Pick<RpcCall, 'hold'>,
  onStream: ((body: StreamedBody) => void) | undefined,
): BatchAnswers {
  let buffered: string[] = []
  let bufferedSize = 0
  let size = 0
  let sink: Promise<BodySink> | undefined

  function takeBuffered(): string {
    const text = buffered.join(',')
    hold(-bufferedSize)
    buffered = []
    bufferedSize = 0
    return text
  }

  /** Begins to stream, if it has not begun. Resolves with the receiver, and the text that precedes the next answer. */
  function begin(stream: (body: StreamedBody) => void): Promise<{ readonly to: BodySink; readonly before: string }> {
    if (sink) return sink.then((to) => ({ to, before: ',' }))
    sink = new Promise((resolve) => stream(resolve))
    return sink.then((to) => {
      const text = takeBuffered()
      return { to, before: text === '' ? '[' : `[${text},` }
    })
  }

  function write(to: BodySink, text: string): Promise<void> {
    const bytes = Buffer.from(text)
    hold(bytes.length)
    return new Promise((resolve) => {
      to.write(bytes, () => {
        hold(-bytes.length)
        resolve()
      })
    })
  }

  return {
    size: () => size,
    add(text) {
      size += text.length
      if (!onStream || (!sink && size <= STREAM_FROM_BYTES)) {
        buffered.push(text)
        bufferedSize += text.length
        hold(text.length)
        return undefined
      }
      return begin(onStream).then(({ to, before }) => write(to, before + text))
    },
    addParts(characters, send) {
      if (!onStream) return false
      size += characters
      return begin(onStream).then(({ to, before }) => send(to, before))
    },
    end() {
      if (!sink) return buffered.length === 0 ? undefined : `[${takeBuffered()}]`
      void sink.then((to) => to.write(']', to.end))
      return undefined
    },
    drop() {
      takeBuffered()
    },
  }
}
