/** Two chains over 31 days: one advanced in one call, the other by a block at each boundary. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { localnetGenesis } from '../../src/app/localnet.ts'
import { almanac } from '../../src/identity/profiles/almanac.ts'
import { type Node, testNode } from '../../src/index.ts'
import { deriveAccounts } from '../../src/node/accounts.ts'
import { derivedValidatorKey } from '../../src/node/validator-key.ts'

const DAY_MS = 86_400_000
/** Start of the test chains: noon of the first day of 2024. */
export const T0 = Date.UTC(2024, 0, 1, 12)

interface Epoch {
  readonly identifier: string
  readonly current_epoch: string
  readonly current_epoch_start_time: string
}

/** Returns the epochs without their starting heights. */
export async function epochsOf(node: Pick<Node, 'query'>): Promise<string[]> {
  const { epochs } = (await node.query('/chain/epochs/v1beta1/epochs')) as unknown as { epochs: Epoch[] }
  return epochs.map((one) => `${one.identifier}: ${one.current_epoch} since ${one.current_epoch_start_time}`)
}

/** Returns the genesis of a localnet that mints from its first day and has a price. */
function mintingGenesis(identifiers: readonly string[]): string {
  const mnemonic = 'test test test test test test test test test test test junk'
  const local = localnetGenesis({
    identity: almanac,
    chainId: 'almanac-localnet-1',
    genesisTime: new Date(T0).toISOString(),
    accounts: deriveAccounts(mnemonic, 1, almanac).map(({ addressBytes }) => ({
      address: addressBytes,
      balanceUnative: 10_000_000_000n,
    })),
    validators: [{ publicKey: derivedValidatorKey(mnemonic, 'almanac-localnet-1').publicKey }],
  })
  const { inflation, oracle, epochs } = local.app_state as Record<string, { params: object; epochs?: Epoch[] }>
  return JSON.stringify({
    ...local,
    app_state: {
      ...local.app_state,
      epochs: { epochs: epochs!.epochs!.filter(({ identifier }) => identifiers.includes(identifier)) },
      inflation: {
        ...inflation,
        params: { ...inflation!.params, inflation_enabled: true, has_inflation_started: true },
      },
      oracle: { ...oracle, exchange_rates: [{ pair: 'ubtc:uusd', exchange_rate: '60000.5' }] },
    },
  })
}

/** Returns the minted coins with their owners, and the average price. */
function sumsOf(node: Pick<Node, 'query' | 'accounts'>): Promise<unknown[]> {
  const root = node.accounts[0]!.bech32
  return Promise.all(
    [
      '/sdk/bank/v1beta1/supply/by_denom?denom=unative',
      '/chain/inflation/v1/period',
      '/chain/inflation/v1/skipped_epochs',
      '/chain/inflation/v1/inflation_rate',
      '/sdk/distribution/v1beta1/community_pool',
      `/sdk/distribution/v1beta1/delegators/${root}/rewards`,
      `/sdk/bank/v1beta1/balances/${root}/by_denom?denom=unative`,
      '/chain/oracle/v1beta1/exchange_rate_twap?pair=ubtc:uusd',
    ].map((path) => node.query(path)),
  )
}

/** Compares the two chains, with the given epochs and a boundary every `stepMs`. Returns their final epochs. */
export async function compareTravels(identifiers: readonly string[], stepMs: number): Promise<string[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'almanac-time-'))
  const genesis = join(scratch, 'genesis.json')
  writeFileSync(genesis, mintingGenesis(identifiers))
  try {
    let nowMs = T0
    await using once = await testNode({ chain: { genesis } })
    await using stepped = await testNode({ chain: { genesis } }, { clock: () => nowMs })
    // The longer epochs end in blocks in which the shortest one does.
    expect(await once.advance((31 * DAY_MS) / 1000)).toBe(1n + BigInt((31 * DAY_MS) / stepMs))
    while (nowMs < T0 + 31 * DAY_MS) {
      nowMs += stepMs
      await stepped.nextBlock()
    }
    const epochs = await epochsOf(once)
    expect(epochs).toEqual(await epochsOf(stepped))
    // The stakers' share of a day is distributed in the block after its end.
    await once.nextBlock()
    await stepped.nextBlock()
    const sums = await sumsOf(once)
    expect(sums).toEqual(await sumsOf(stepped))
    const beginning = 21_000_000_000n
    const minted = 30n * 594_248_830_218n + 583_191_333_818n
    expect(sums[0]).toEqual({ amount: { denom: 'unative', amount: (beginning + minted).toString() } })
    expect(sums[1]).toEqual({ period: '1' })
    return epochs
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
