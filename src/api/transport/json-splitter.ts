/** Splits a stream of bytes into JSON texts that follow each other, with or without line breaks between them. */

const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, QUOTE, BACKSLASH, LINE_FEED, SPACE] =
  Buffer.from('{}[]"\\\n ')

export interface JsonSplitter {
  /** Takes the next bytes. Returns the texts that they complete: objects, arrays, or lines that are neither. */
  push(chunk: Buffer): string[]
  /** Returns the bytes of the text that is not complete. */
  pendingBytes(): number
}

export function createJsonSplitter(): JsonSplitter {
  let parts: Buffer[] = []
  let pending = 0
  let depth = 0
  let isString = false
  let isEscaped = false

  /** Takes one byte. Returns whether a text ends with it. */
  function ends(byte: number): boolean {
    if (isString) {
      if (isEscaped) isEscaped = false
      else if (byte === BACKSLASH) isEscaped = true
      else if (byte === QUOTE) isString = false
      return false
    }
    if (byte === QUOTE && depth > 0) isString = true
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && depth > 0) {
      depth--
      return depth === 0
    }
    return byte === LINE_FEED && depth === 0
  }

  return {
    push(chunk) {
      const texts: string[] = []
      let start = 0
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at]!
        // Blanks between texts belong to none.
        if (depth === 0 && pending === 0 && start === at && byte <= SPACE!) start = at + 1
        else if (ends(byte)) {
          parts.push(chunk.subarray(start, at + 1))
          texts.push(Buffer.concat(parts).toString('utf8'))
          parts = []
          pending = 0
          start = at + 1
        }
      }
      if (start < chunk.length) {
        parts.push(chunk.subarray(start))
        pending += chunk.length - start
      }
      return texts
    },
    pendingBytes: () => pending,
  }
}
