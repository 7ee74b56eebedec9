import { expect, test } from 'vitest'
import { hex } from '../../primitives/bytes.ts'
import { parseGenesisFile, readGenesisFile } from './genesis-file.ts'

const ACCOUNT = '0x00000000000000000000000000000000000000aa'
const text = (more: object, account: object = { balance: '0x1' }): string =>
  JSON.stringify({ ...more, alloc: { [ACCOUNT.slice(2)]: account } })

test('a genesis of geth is read: chain, block fields and accounts', () => {
  const { flags, timestamp, amendments, accounts } = parseGenesisFile(
    text(
      {
        config: { chainId: 1337, shanghaiTime: 0 },
        timestamp: '0x6553f100',
        gasLimit: '0x1c9c380',
        baseFeePerGas: '1000000000',
        number: '0x0',
        coinbase: '0x00000000000000000000000000000000000000cc',
        difficulty: '0x1',
        extraData: '0x',
      },
      { balance: '1000000000000000000', nonce: '0x2', code: '0x6001', storage: { '0x01': '0x2a' } },
    ),
  )
  expect(flags).toEqual({ 'evm-chain-id': '1337', 'block-gas-limit': '30000000', 'initial-height': '1' })
  expect(timestamp).toBe(0x6553f100n)
  expect(amendments).toEqual([
    { kind: 'baseFee', wei: 1_000_000_000n },
    { kind: 'coinbase', address: hex('00000000000000000000000000000000000000cc') },
  ])
  expect(accounts).toEqual([
    {
      address: hex(ACCOUNT),
      nonce: 2n,
      balanceWei: 10n ** 18n,
      code: hex('6001'),
      storage: [[hex('01'.padStart(64, '0')), hex('2a'.padStart(64, '0'))]],
    },
  ])
})

test('only alloc is needed', () => {
  expect(parseGenesisFile('{"alloc":{}}')).toEqual({ flags: {}, timestamp: undefined, amendments: [], accounts: [] })
})

const PATH = `alloc.${ACCOUNT.slice(2)}`

test.each([
  ['no alloc', '{}', 'alloc is absent: it must be an object of accounts by address'],
  ['no JSON', '{', 'not JSON: '],
  ['a list', '[]', 'not a JSON object'],
  ['a balance that is missing', text({}, {}), `${PATH}.balance is absent: it must be a number of at most 256 bits`],
  [
    'a nonce of text',
    text({}, { balance: '1', nonce: 'one' }),
    `${PATH}.nonce is "one": it must be a number of at most 64 bits`,
  ],
  ['odd code', text({}, { balance: '1', code: '0x1' }), `${PATH}.code is "0x1": it must be bytes after 0x`],
  [
    'a long slot',
    text({}, { balance: '1', storage: { [`0x${'1'.repeat(66)}`]: '0x1' } }),
    'it must be a word of at most 32 bytes',
  ],
  ['a short address', '{"alloc":{"0x12":{"balance":"1"}}}', 'alloc.0x12 is "0x12": it must be an address of 20 bytes'],
  [
    'a chain id of text',
    text({ config: { chainId: 'x' } }),
    'config.chainId is "x": it must be a number of at most 53 bits',
  ],
  ['a negative gas limit', text({ gasLimit: -1 }), 'gasLimit is -1: it must be a number of at most 53 bits'],
  [
    'a time after the year 9999',
    text({ timestamp: '0xffffffffff' }),
    'timestamp is "0xffffffffff": it must be a number of at most 37 bits',
  ],
])('%s: the error names the field', (_, file, message) => {
  expect(() => parseGenesisFile(file)).toThrow(message)
})

test('a folder and a missing file are refused by name', () => {
  expect(() => readGenesisFile(import.meta.dirname)).toThrow(
    `--init ${import.meta.dirname}: must be a file, and is a folder`,
  )
  expect(() => readGenesisFile('/no/file')).toThrow('--init /no/file: the file does not exist')
})
