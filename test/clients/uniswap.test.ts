/** Uniswap V2 as published, with the chain's wrapped coin. Every amount is exact to the wei. */
import { createRequire } from 'node:module'
import {
  type Abi,
  type Address,
  createPublicClient,
  createWalletClient,
  defineChain,
  type Hex,
  http,
  keccak256,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startNode } from '../../src/index.ts'

const require = createRequire(import.meta.url)
const build = (path: string): { abi: Abi; bytecode: Hex } => {
  const { abi, bytecode } = require(path) as { abi: Abi; bytecode: string }
  return { abi, bytecode: bytecode.startsWith('0x') ? (bytecode as Hex) : `0x${bytecode}` }
}
const erc20 = build('@openzeppelin/contracts/build/contracts/ERC20PresetFixedSupply.json')
const factoryBuild = build('@uniswap/v2-core/build/UniswapV2Factory.json')
const pairBuild = build('@uniswap/v2-core/build/UniswapV2Pair.json')
const routerBuild = build('@uniswap/v2-periphery/build/UniswapV2Router02.json')

const WNATIVE = '0x0CaCF669f8446BeCA826913a3c6B96aCD4b02a97'
const NEVER = 2n ** 64n
const E18 = 10n ** 18n
/** Gas limit of any call. Estimates would vary: a pair stores its prices only if a second has passed since its last change. */
const GAS = 5_000_000n

let node: Awaited<ReturnType<typeof startNode>>
let setup: Awaited<ReturnType<typeof deployAll>>

function connect() {
  const chain = defineChain({
    id: node.evmChainId,
    name: node.chainId,
    nativeCurrency: { name: 'native', symbol: 'NATIVE', decimals: 18 },
    rpcUrls: { default: { http: [node.urls.jsonrpc] } },
  })
  const account = privateKeyToAccount(node.accounts[0]!.privateKey)
  const wallet = createWalletClient({ account, chain, transport: http() })
  const client = createPublicClient({ chain, transport: http(), pollingInterval: 50 })
  const done = async (hash: Hex) => {
    const receipt = await client.waitForTransactionReceipt({ hash })
    expect(receipt.status).toBe('success')
    return receipt
  }
  return {
    me: account.address,
    client,
    deploy: async ({ abi, bytecode }: { abi: Abi; bytecode: Hex }, args: unknown[]) =>
      (await done(await wallet.deployContract({ abi, bytecode, args }))).contractAddress!,
    write: async (address: Address, abi: Abi, functionName: string, args: unknown[], value = 0n) =>
      done(await wallet.writeContract({ address, abi, functionName, args, value, gas: GAS })),
    read: (address: Address, abi: Abi, functionName: string, args: unknown[] = []) =>
      client.readContract({ address, abi, functionName, args }) as Promise<unknown>,
  }
}

async function deployAll() {
  const at = connect()
  const factory = await at.deploy(factoryBuild, [at.me])
  const router = await at.deploy(routerBuild, [factory, WNATIVE])
  const gold = await at.deploy(erc20, ['Gold', 'GLD', 1_000_000n * E18, at.me])
  const silver = await at.deploy(erc20, ['Silver', 'SLV', 1_000_000n * E18, at.me])
  for (const token of [gold, silver]) await at.write(token, erc20.abi, 'approve', [router, 2n ** 256n - 1n])
  return { ...at, factory, router, gold, silver }
}

beforeAll(async () => {
  node = await startNode()
  setup = await deployAll()
})
afterAll(() => node.stop())

/** Returns the output of a pair for an amount: a fee of 0.3 % stays in the pool, rounded down (Uniswap V2 whitepaper §3.2.1). */
const outOf = (amount: bigint, reserveIn: bigint, reserveOut: bigint) =>
  (amount * 997n * reserveOut) / (reserveIn * 1000n + amount * 997n)

/** Returns the integer square root. */
function root(value: bigint): bigint {
  let guess = 1n << BigInt(Math.ceil(value.toString(2).length / 2))
  for (let next = guess; ; guess = next) {
    next = (guess + value / guess) >> 1n
    if (next >= guess) return guess
  }
}

test('the router computes the address of the pair from the hash of the published code', () => {
  expect(keccak256(pairBuild.bytecode)).toBe('0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f')
})

test('adding liquidity, a swap and removing it are exact to the wei', async () => {
  const { me, factory, router, gold, silver, read, write } = setup
  const [a, b] = [1234n * E18 + 567n, 4321n * E18 + 89n]
  const added = [gold, silver, a, b, a, b, me, NEVER]
  await write(router, routerBuild.abi, 'addLiquidity', added)
  const pair = (await read(factory, factoryBuild.abi, 'getPair', [gold, silver])) as Address
  const shares = (await read(pair, pairBuild.abi, 'balanceOf', [me])) as bigint
  expect(shares).toBe(root(a * b) - 1000n)

  const amountIn = 7n * E18 + 1n
  const expected = outOf(amountIn, a, b)
  const before = (await read(silver, erc20.abi, 'balanceOf', [me])) as bigint
  await write(router, routerBuild.abi, 'swapExactTokensForTokens', [amountIn, expected, [gold, silver], me, NEVER])
  expect(((await read(silver, erc20.abi, 'balanceOf', [me])) as bigint) - before).toBe(expected)

  await write(pair, pairBuild.abi, 'approve', [router, shares])
  await write(router, routerBuild.abi, 'removeLiquidity', [gold, silver, shares, 0n, 0n, me, NEVER])
  const total = shares + 1000n
  const left = (await read(gold, erc20.abi, 'balanceOf', [pair])) as bigint
  expect(left).toBe(a + amountIn - (shares * (a + amountIn)) / total)
})

test('the native coin is swapped through its wrapped form, and only the gas is spent', async () => {
  const { me, client, router, gold, write, read } = setup
  const [tokens, coins] = [5000n * E18, 20n * E18]
  await write(router, routerBuild.abi, 'addLiquidityETH', [gold, tokens, 0n, 0n, me, NEVER], coins)
  const amountIn = E18 + 3n
  const expected = outOf(amountIn, coins, tokens)
  const held = (await read(gold, erc20.abi, 'balanceOf', [me])) as bigint
  await write(router, routerBuild.abi, 'swapExactETHForTokens', [0n, [WNATIVE, gold], me, NEVER], amountIn)
  expect(((await read(gold, erc20.abi, 'balanceOf', [me])) as bigint) - held).toBe(expected)

  const balance = await client.getBalance({ address: me })
  const back = [expected, 0n, [gold, WNATIVE], me, NEVER]
  const { gasUsed, effectiveGasPrice } = await write(router, routerBuild.abi, 'swapExactTokensForETH', back)
  const received = outOf(expected, tokens - expected, coins + amountIn)
  expect(await client.getBalance({ address: me })).toBe(balance + received - gasUsed * effectiveGasPrice)
})
