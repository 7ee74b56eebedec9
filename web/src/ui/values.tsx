/** Values as they look on every page: amounts, addresses, hashes, heights, times. */
import { useState } from 'preact/hooks'
import { useNode } from '../api/node.ts'
import { readAddress, shorten, toBech32, toEip55 } from '../format/address.ts'
import { formatInteger, formatUnits, WEI_DECIMALS } from '../format/amount.ts'
import { formatDuration, formatExact, formatRelative } from '../format/time.ts'
import { hrefOf, usePlace } from '../router.tsx'
import { useAheadSeconds, useNow } from './now.ts'

/** Link to a page of the console. It keeps the selected height. */
export function Link({
  to,
  class: name,
  title,
  children,
}: {
  readonly to: string
  readonly class?: string
  readonly title?: string
  readonly children: preact.ComponentChildren
}) {
  usePlace()
  return (
    <a href={hrefOf(to)} class={name} title={title}>
      {children}
    </a>
  )
}

/** Shows how long ago a time is, with the exact time in its title and for screen readers. */
export function Time({ time }: { readonly time: string }) {
  const nowMs = useNow()
  return (
    <time dateTime={time} title={formatExact(time)}>
      {formatRelative(time, nowMs)}
    </time>
  )
}

/** Shows a time exactly, and how long ago it is. */
export function ExactTime({ time }: { readonly time: string }) {
  return (
    <span class="pair">
      <span class="num">{formatExact(time)}</span>{' '}
      <span class="muted">
        <Time time={time} />
      </span>
    </span>
  )
}

/** Shows the time of the latest block, and by how much the clock of the chain is ahead of this computer's. */
export function ChainTime({ time }: { readonly time: string }) {
  const seconds = useAheadSeconds()
  if (seconds === 0) return <ExactTime time={time} />
  return (
    <span class="pair">
      <span class="num">{formatExact(time)}</span>{' '}
      <span class="muted">{formatDuration(seconds)} ahead of this computer</span>
    </span>
  )
}

export const Height = ({ height }: { readonly height: bigint | string | number }) => (
  <Link to={`/block/${height}`} class="num">
    {formatInteger(height)}
  </Link>
)

/** Button that copies a text. */
export function Copy({ text, label }: { readonly text: string; readonly label: string }) {
  const [isDone, setDone] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard?.writeText(text).catch(() => {})
    setDone(true)
    setTimeout(() => setDone(false), 1500)
  }
  return (
    <button
      type="button"
      class="copy"
      aria-label={isDone ? 'Copied' : `Copy ${label}`}
      title={isDone ? 'Copied' : `Copy ${label}`}
      onClick={copy}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        {isDone ? <path d="M3 8.5l3 3 7-7" /> : <path d="M6 6h7v7H6zM3 10V3h7" />}
      </svg>
    </button>
  )
}

/** A hash or another long text: whole where there is room, with a button that copies it. */
export function Hash({
  text,
  to,
  label = 'hash',
  short = false,
}: {
  readonly text: string
  readonly to?: string
  readonly label?: string
  readonly short?: boolean
}) {
  const shown = short ? shorten(text) : text
  return (
    <span class="hash" title={text}>
      {to ? <Link to={to}>{shown}</Link> : <span>{shown}</span>}
      {!short && <Copy text={text} label={label} />}
    </span>
  )
}

/** Address as a link to its account. `both` shows it in both forms below each other. */
export function Address({
  address,
  both = false,
  short = false,
}: {
  readonly address: string
  readonly both?: boolean
  readonly short?: boolean
}) {
  const node = useNode()
  const bytes = readAddress(address)
  if (!bytes) return <span class="hash">{address}</span>
  const isHex = address.startsWith('0x')
  const shown = isHex ? toEip55(bytes) : address
  const other = !isHex ? toEip55(bytes) : node ? toBech32(node.bech32.account, bytes) : undefined
  const link = (text: string) => <Hash text={text} to={`/account/${text}`} label="address" short={short} />
  if (!both) return link(shown)
  return (
    <span class="both">
      {link(shown)}
      {other && link(other)}
    </span>
  )
}

/** A number of base units as whole units, exact, with the base units in its title. */
export function Units({
  base,
  decimals,
  unit,
}: {
  readonly base: bigint
  readonly decimals: number
  readonly unit: string
}) {
  return (
    <span class="amount" title={`${formatInteger(base)} × 10^-${decimals} ${unit}`}>
      <span class="num">{formatUnits(base, decimals)}</span> <span class="unit">{unit}</span>
    </span>
  )
}

const NATIVE_DECIMALS = 6

/** An amount in wei, shown in whole native units. */
export function Wei({ wei }: { readonly wei: bigint }) {
  const node = useNode()
  return <Units base={wei} decimals={WEI_DECIMALS} unit={node?.display_denom ?? 'native'} />
}

/** An amount of the bank. The native coin is shown in whole units, any other denom as it is stored. */
export function Coin({ amount, denom }: { readonly amount: string | bigint; readonly denom: string }) {
  const node = useNode()
  if (denom === node?.base_denom)
    return <Units base={BigInt(amount)} decimals={NATIVE_DECIMALS} unit={node.display_denom} />
  return (
    <span class="amount">
      <span class="num">{formatInteger(amount)}</span>{' '}
      <Link to={`/chain/denoms/${denom}`} class="unit">
        {denom}
      </Link>
    </span>
  )
}
