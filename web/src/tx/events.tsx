/** Events, as names with their attributes. Text of an attribute that is JSON is laid out. */
import type { Event } from '../api/blocks.ts'
import { readAddress } from '../format/address.ts'
import { Address } from '../ui/values.tsx'

const ADDRESS = /^(0x[0-9a-fA-F]{40}|[a-z]{1,20}1[02-9ac-hj-np-z]{38,58})$/

/** Shows the value of an attribute: an address as a link, anything else as it is. */
export function AttributeValue({ value }: { readonly value: string }) {
  const plain = value.replace(/^"(.*)"$/s, '$1')
  if (ADDRESS.test(plain) && readAddress(plain)) return <Address address={plain} />
  return <span class="mono">{plain}</span>
}

export function EventList({ events }: { readonly events: readonly Event[] }) {
  return (
    <ol class="events">
      {events.map((event, i) => (
        <li key={i}>
          <details>
            <summary>
              <span class="mono">{event.type}</span>{' '}
              <span class="muted">
                {event.attributes.length === 1 ? '1 attribute' : `${event.attributes.length} attributes`}
              </span>
            </summary>
            <dl class="facts">
              {event.attributes.map(({ key, value }, at) => (
                <div class="fact" key={at}>
                  <dt>{key}</dt>
                  <dd>{value === '' ? <span class="muted">empty</span> : <AttributeValue value={value} />}</dd>
                </div>
              ))}
            </dl>
          </details>
        </li>
      ))}
    </ol>
  )
}
