/**
 * The rule that modules do not compare addresses as text: Bech32 has two spellings of an address, hexadecimal digits have many.
 * It recognizes address texts by their names, and by the functions that format them.
 */

/** Names of texts that are addresses or lists of them, as the last name of an operand. */
const NAMED = new RegExp(
  `(?:^|[._]|(?<=[a-z]))(?:${[
    ...[
      '[aA]ddress(?:es)?',
      '[aA]ddr',
      '[bB]ech32',
      '[aA]uthority',
      '[aA]dmin',
      '[gG]ranter',
      '[gG]rantee',
      '[vV]oter',
    ],
    ...['[dD]epositor', '[pP]roposer', '[wW]ithdrawer', '[dD]eployer', '[cC]reator', '[fF]eeder', '[rR]ecipient'],
    ...[
      '[rR]eceiver',
      '[sS]enders?',
      '[dD]elegator',
      '[dD]elegate',
      '[oO]perator',
      '[oO]wner',
      '[hH]older',
      '[pP]ayer',
    ],
    ...['[sS]igner', '[cC]ontracts?', '[aA]llowList', '[dD]enyList', '[rR]oot'],
    '(?:address|operator|validator)Text',
  ].join('|')})$`,
)
const FORMATS = /^(?:address\.(?:format|canonical)\w*|formatBech32|formatEip55)\(/
/** Operands that are not addresses: literals, and constants by their names. */
const LITERAL = /^(?:'.*|undefined|null|true|false|[\d_]+n?|(?:\w+\.)*[A-Z][A-Z_]+|typeof)$/

const OPERAND = String.raw`'[^']*'|[\w$.]+!?(?:\([^()]*\)!?)?`
const COMPARED = new RegExp(`(${OPERAND}) (?:[=!]==?) (${OPERAND})`, 'g')
/** An argument of a lookup. A number after it is the offset at which a byte array is set. */
const KEY = new RegExp(
  `\\.(?:get|has|set|add|delete|includes|indexOf|localeCompare)\\((${OPERAND})(?=[,)])(?!, \\d)`,
  'g',
)
const COLLECTED = new RegExp(`(?:new Set|switch )\\((${OPERAND})\\)`, 'g')
/** A key that joins address texts. */
const JOINED = /\.(?:get|has|set|add|delete)\(`\$\{([\w$.]+)\}/g
/** An entry of a map from a list: `.map((one) => [one.operatorAddress, one])`. */
const ENTRY = /=> \[([\w$.]+), /g

function isAddressText(operand: string): boolean {
  const bare = operand.replaceAll('!', '')
  return FORMATS.test(bare) || NAMED.test(bare)
}

/** Whether an operand compared with another is an address text. Names of its parts do not tell what a `text` is. */
const isComparedText = (operand: string) => isAddressText(operand) || /(?:^|\.)text$/.test(operand)

/** Returns the places in a source that compare address texts or use them as keys, each with its line number. */
export function addressTextCompared(source: string): readonly string[] {
  return source.split('\n').flatMap((line, i) => {
    if (/^\s*(\/?\*|\/\/)/.test(line)) return []
    const compared = [...line.matchAll(COMPARED)].filter(
      ([, left, right]) =>
        !LITERAL.test(left!) && !LITERAL.test(right!) && (isComparedText(left!) || isComparedText(right!)),
    )
    const keys = [KEY, COLLECTED, JOINED, ...(line.includes('new Map(') ? [ENTRY] : [])]
      .flatMap((pattern) => [...line.matchAll(pattern)])
      .filter(([, key]) => !LITERAL.test(key!) && isAddressText(key!))
    return [...compared, ...keys].map(([whole]) => `${i + 1}: ${whole}`)
  })
}
