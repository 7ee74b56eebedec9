/** Percent-encoding of paths and query strings. */
import { formatUtf8 } from '../../primitives/bytes.ts'

const BAD_ESCAPE = /%(?![0-9a-fA-F]{2}).{0,2}/

/** Decodes one part. Returns the escape if it is malformed. Bytes that are not UTF-8 become U+FFFD. */
export function percentDecode(text: string): string | { readonly badEscape: string } {
  if (!text.includes('%')) return text
  const bad = BAD_ESCAPE.exec(text)
  if (bad) return { badEscape: bad[0] }
  try {
    return decodeURIComponent(text)
  } catch {
    return formatUtf8(
      Buffer.from(
        text
          .replace(/[^%\x20-\x7e]+/g, (part) => encodeURIComponent(part))
          .replace(/%([0-9a-fA-F]{2})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16))),
        'latin1',
      ),
    )
  }
}
