/** Data of calls, events and errors, decoded where an ABI is known, else as it is. */
import { useEffect, useState } from 'preact/hooks'
import type { Abi } from 'viem'
import { readAddress } from '../format/address.ts'
import { formatBytes, formatInteger } from '../format/amount.ts'
import { useStore } from '../store.ts'
import { Address } from '../ui/values.tsx'
import { allAbis } from './abis.ts'
import { artifacts } from './artifacts.ts'
import type { Decoded } from './codec.ts'

type Decode = (codec: typeof import('./codec.ts'), abis: readonly Abi[]) => Decoded | undefined

/** Decodes with what is known; undefined until the code for it has arrived, and for data that no ABI knows. */
export function useDecoded(decode: Decode, key: string): Decoded | undefined {
  const known = useStore(artifacts)
  const [found, setFound] = useState<Decoded | undefined>()
  useEffect(() => {
    let isCurrent = true
    Promise.all([import('./codec.ts'), allAbis(known)]).then(
      ([codec, abis]) => isCurrent && setFound(decode(codec, abis)),
      () => {},
    )
    return () => {
      isCurrent = false
    }
  }, [key, known])
  return found
}

/** Shows a value by its type: an address as a link, an integer with grouped digits. */
function TypedValue({ type, value }: { readonly type: string; readonly value: string }) {
  if (type === 'address' && readAddress(value)) return <Address address={value} />
  if (/^u?int\d*$/.test(type)) return <span class="num">{formatInteger(value)}</span>
  return <span class="mono">{value === '' ? '(empty)' : value}</span>
}

export function DecodedFields({ fields }: { readonly fields: Decoded['fields'] }) {
  return (
    <dl class="facts">
      {fields.map(({ name, type, value }, i) => (
        <div class="fact" key={i}>
          <dt>
            {name} <span class="type">{type}</span>
          </dt>
          <dd>
            <TypedValue type={type} value={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Returns a decoded thing on one line: `transfer(to: 0x…, value: 5)`. */
export const oneLine = ({ name, fields }: Decoded): string =>
  `${name}(${fields.map((field) => `${field.name}: ${field.value}`).join(', ')})`

/** Raw data that unfolds. */
export function RawData({ data, label }: { readonly data: string; readonly label: string }) {
  if (data === '0x' || data === '') return <span class="muted">no data</span>
  return (
    <details>
      <summary>
        {label}, {formatBytes((data.length - 2) / 2)}
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls is reached by keyboard */}
      <pre tabIndex={0} class="wrap" role="region" aria-label={label}>
        {data}
      </pre>
    </details>
  )
}
