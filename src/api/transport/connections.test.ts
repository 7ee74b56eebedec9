import { expect, test } from 'vitest'
import { type Connection, createConnections } from './connections.ts'

/** Creates a limit of four connections with a clock that moves at every connection. */
function world() {
  let now = 0
  const displaced: string[] = []
  const connections = createConnections(
    4,
    () => now,
    (address) => void displaced.push(address),
  )
  const connect = (address = 'a') => {
    now += 10
    const state = { transferred: 0, isBusy: false, isOpen: true }
    const connection: Connection = {
      address,
      transferred: () => state.transferred,
      isBusy: () => state.isBusy,
      close: () => {
        state.isOpen = false
      },
    }
    const leave = connections.admit(connection)
    if (!leave) state.isOpen = false
    return Object.assign(state, { leave })
  }
  return { displaced, connect }
}

const areOpen = (clients: readonly { readonly isOpen: boolean }[]) => clients.map(({ isOpen }) => isOpen)

test('a new connection takes the place of the one that is idle for the longest time', () => {
  const { displaced, connect } = world()
  const clients = [connect(), connect(), connect(), connect()]
  clients[0]!.isBusy = true
  clients[1]!.transferred = 100
  const next = [connect(), connect()]
  expect(areOpen(clients)).toEqual([true, true, false, false])
  expect(areOpen(next)).toEqual([true, true])
  expect(displaced).toEqual(['a', 'a'])
})

test('a connection of the busiest address is refused while all of its connections are being answered', () => {
  const { connect } = world()
  const clients = [connect(), connect(), connect(), connect()]
  for (const client of clients) client.isBusy = true
  expect(connect().isOpen).toBe(false)
  expect(areOpen(clients)).toEqual([true, true, true, true])
})

test('an address with many connections cannot lock out another, idle or busy', () => {
  const { connect } = world()
  const honest = connect('honest')
  const greedy = [connect('greedy'), connect('greedy'), connect('greedy')]
  for (const client of greedy) client.isBusy = true
  const other = connect('other')
  expect(areOpen([honest, other, ...greedy])).toEqual([true, true, false, true, true])
})

test('a connection that has ended leaves its place to others', () => {
  const { connect } = world()
  const clients = [connect(), connect(), connect(), connect()]
  clients[3]!.leave!()
  connect()
  expect(areOpen(clients)).toEqual([true, true, true, true])
})
