import { expect, test } from 'vitest'
import { createPause } from '../transport/slices.ts'
import { sendHex } from './long-hex.ts'

const BYTES = 100_000

const filled = (value: number): Uint8Array => new Uint8Array(BYTES).fill(value)
const textOf = (value: number): string => `{"0x${value.toString(16).padStart(2, '0').repeat(BYTES)}"}`

/** A client that takes what was sent when it is told to: what it reads then is what the memory of a chunk contains then. */
function lateClient() {
  let text = ''
  let isClosed = false
  const untaken: { readonly chunk: string | Uint8Array; readonly done: () => void }[] = []
  return {
    sink: {
      write(chunk: string | Uint8Array, done: () => void): void {
        if (isClosed) done()
        else untaken.push({ chunk, done })
      },
      isClosed: () => isClosed,
      end: () => {},
      abort: () => {},
    },
    /** The chunks that the client has not taken. */
    untaken,
    text: () => text,
    take() {
      const next = untaken.shift()
      if (!next) return
      text += Buffer.from(next.chunk).toString()
      next.done()
    },
    leave() {
      isClosed = true
      for (const { done } of untaken) done()
    },
  }
}

const BRACES = { before: '{', after: '}' }

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('clients that take their answers at different times get their own bytes', async () => {
  const clients = [1, 0xab, 0xff].map((value) => ({ value, client: lateClient() }))
  const sent = clients.map(({ value, client }) => sendHex(filled(value), BRACES, client.sink, createPause()))
  for (let turns = 0; turns < 100; turns++) {
    for (const [i, { client }] of clients.entries()) if (turns % (i + 1) === 0) client.take()
    await turn()
  }
  await Promise.all(sent)
  for (const { value, client } of clients) expect(client.text() === textOf(value)).toBe(true)
})

test('the memory that a client left unread is not used for the next one', async () => {
  const gone = lateClient()
  const left = sendHex(filled(0x11), BRACES, gone.sink, createPause())
  gone.take()
  await turn()
  const [{ chunk }] = gone.untaken as [(typeof gone.untaken)[number]]
  gone.leave()
  await left
  const next = lateClient()
  const sent = sendHex(filled(0x22), BRACES, next.sink, createPause())
  for (let turns = 0; turns < 50; turns++) {
    next.take()
    await turn()
  }
  await sent
  expect(next.text() === textOf(0x22)).toBe(true)
  expect(/^1+$/.test(Buffer.from(chunk).toString())).toBe(true)
})
