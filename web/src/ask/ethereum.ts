/** Questions for viem and ethers: methods of Ethereum, and calls of precompiles. */
import type { Door } from './doors.ts'
import { blockTag, quoteJs } from './question.ts'

type Call = (params: readonly string[], block: string) => string

const VIEM: Readonly<Record<string, Call>> = {
  eth_getBalance: ([address], block) => `client.getBalance({ address: ${address}${block} })`,
  eth_getCode: ([address], block) => `client.getCode({ address: ${address}${block} })`,
  eth_getStorageAt: ([address, slot], block) => `client.getStorageAt({ address: ${address}, slot: ${slot}${block} })`,
  eth_getTransactionCount: ([address], block) => `client.getTransactionCount({ address: ${address}${block} })`,
}
const ETHERS: Readonly<Record<string, Call>> = {
  eth_getBalance: ([address], block) => `provider.getBalance(${address}${block})`,
  eth_getCode: ([address], block) => `provider.getCode(${address}${block})`,
  eth_getStorageAt: ([address, slot], block) => `provider.getStorage(${address}, ${slot}${block})`,
  eth_getTransactionCount: ([address], block) => `provider.getTransactionCount(${address}${block})`,
}

/** Writes a value of JSON as JavaScript. */
export function js(value: unknown): string {
  if (typeof value === 'string') return quoteJs(value)
  if (Array.isArray(value)) return `[${value.map(js).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const name = (text: string): string => (/^[A-Za-z_]\w*$/.test(text) ? text : quoteJs(text))
    const fields = Object.entries(value).map(([key, inner]) => `${name(key)}: ${js(inner)}`)
    return fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}'
  }
  return String(value)
}

/** Returns the parameters with the height in its place. */
const filled = (params: readonly unknown[], height: string | undefined): readonly unknown[] =>
  params.map((value) => (value === 'HEIGHT' ? blockTag(height) : value))

export function viemSnippet(url: string, door: Door, height: string | undefined): string {
  const client = `const client = createPublicClient({ transport: http(${quoteJs(url)}) })`
  if (door.kind === 'rpc') {
    const call =
      VIEM[door.method]?.(door.params.map(js), height === undefined ? '' : `, blockNumber: ${height}n`) ??
      `client.request({ method: ${js(door.method)}, params: ${js(filled(door.params, height))} })`
    return [`import { createPublicClient, http } from 'viem'`, '', client, `console.log(await ${call})`].join('\n')
  }
  return [
    `import { createPublicClient, http, parseAbi } from 'viem'`,
    '',
    client,
    'const answer = await client.readContract({',
    `  address: ${js(door.address)},`,
    '  abi: parseAbi([',
    `    ${js(door.abi)},`,
    '  ]),',
    `  functionName: ${js(door.name)},`,
    `  args: ${js(door.args)},`,
    ...(height === undefined ? [] : [`  blockNumber: ${height}n,`]),
    '})',
    'console.log(answer)',
  ].join('\n')
}

export function ethersSnippet(url: string, door: Door, height: string | undefined): string {
  const provider = `const provider = new JsonRpcProvider(${quoteJs(url)})`
  const end = 'provider.destroy()'
  if (door.kind === 'rpc') {
    const call =
      ETHERS[door.method]?.(door.params.map(js), height === undefined ? '' : `, ${height}`) ??
      `provider.send(${js(door.method)}, ${js(filled(door.params, height))})`
    return [`import { JsonRpcProvider } from 'ethers'`, '', provider, `console.log(await ${call})`, end].join('\n')
  }
  const args = [...door.args.map(js), ...(height === undefined ? [] : [`{ blockTag: ${height} }`])]
  return [
    `import { Contract, JsonRpcProvider } from 'ethers'`,
    '',
    provider,
    `const contract = new Contract(${js(door.address)}, [`,
    `  ${js(door.abi)},`,
    '], provider)',
    `console.log(await contract.${door.name}(${args.join(', ')}))`,
    end,
  ].join('\n')
}
