/** Initial parameters, validators and funds, for both the chain and the calculation. */
import { GENESIS_NS, personOf, type Setting, seatOf } from './chain.ts'
import { ONE, type Rules } from './model.ts'

export const SECOND = 1_000_000_000n

export interface DayOptions extends Tempo {
  readonly blocks: number
  readonly seed: number
  /** The sleeper never votes; with `stopped` it does not sign blocks either. */
  readonly sleeper: 'silent' | 'stopped'
}

/** Lengths of windows and epochs. */
export interface Tempo {
  readonly votePeriod: bigint
  readonly slashWindow: bigint
  /** Start of the first day, before the chain's start. */
  readonly daysBefore: bigint
  readonly signedWindow: bigint
  readonly jailSeconds: bigint
}

const percent = (value: bigint): bigint => (value * ONE) / 100n
const parse = (text: string): bigint => {
  const [whole, fraction = ''] = text.replace('-', '').split('.')
  const raw = BigInt(whole!) * ONE + BigInt(fraction.padEnd(18, '0'))
  return text.startsWith('-') ? -raw : raw
}
export function settingOf(options: Tempo): Setting {
  const rules: Rules = {
    votePeriod: options.votePeriod,
    slashWindow: options.slashWindow,
    threshold: ONE / 3n,
    band: percent(2n),
    slashFraction: percent(1n) / 2n,
    leastValid: percent(69n),
    minVoters: 3,
    lookbackNs: 900n * SECOND,
    pairs: ['ubtc:uusd', 'ueth:uusd', 'uatom:uusd', 'uusdc:uusd'],
    communityTax: percent(2n),
    signedWindow: options.signedWindow,
    leastSigned: percent(50n),
    downtimeFraction: percent(1n),
    jailNs: options.jailSeconds * SECOND,
    factors: [
      '-0.000147085524',
      '0.074291982762',
      '-18.86741561118',
      '3128.641926954698',
      '-334834.740631598223',
      '17827464.906540066004',
    ].map(parse),
    epochsPerPeriod: 3n,
    maxPeriod: 96n,
    stakingShare: percent(28n) + percent(1n) / 8n,
    communityShare: percent(35n) + 4_825_000_000_000_000n,
  }
  const tokens = [400_123_456n, 300_999_999n, 250_000_001n, 200_500_000n, 150_777_777n, 100_000_000n, 120_333_333n]
  const rates = [5n, 10n, 0n, 7n, 20n, 25n, 5n].map(percent)
  const startTime = new Date(Number((GENESIS_NS - options.daysBefore) / 1_000_000n)).toISOString()
  return {
    rules,
    seats: tokens.map((amount, i) => seatOf(i, amount, rates[i]!)),
    root: personOf('root'),
    rewards: [
      { periods: 40n, coins: { unative: 1_000_003n } },
      { periods: 1_000_000n, coins: { unative: 77_777n, ureward: 1_009n } },
    ],
    rewardsHeld: { unative: 40n * 1_000_003n + 1_000_000n * 77_777n, ureward: 1_009_000_000n },
    accountUnative: 10_000_000_000n,
    epochs: [
      { identifier: '30 min', durationNs: 1800n * SECOND, startTime: '2024-01-01T00:00:00Z' },
      { identifier: 'day', durationNs: 86_400n * SECOND, startTime },
      { identifier: 'week', durationNs: 604_800n * SECOND, startTime: '2024-01-01T00:10:00Z' },
    ],
  }
}
