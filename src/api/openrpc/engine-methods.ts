/** Descriptions of the methods of the engine RPC, one on each line: `name result: text`. Their parameters are in the methods table. */

export const ENGINE_METHODS = `
consensus_state object: Returns the round that the engine is in, in short.
dump_consensus_state object: Returns the round that the engine is in, and what it knows of its peers.
broadcast_evidence object: Hands evidence of misbehaviour to the engine.
dial_seeds object: Asks nodes for addresses of peers.
dial_peers object: Connects to peers.
unsafe_flush_mempool object: Removes all transactions from the pool.
health object: Returns an empty object while the node answers.
status object: Returns the node, its newest block, and its validator.
net_info object: Returns the peers of the node.
abci_info object: Returns version and height of the application.
abci_query object: Returns a value of the state by its key, with a proof if asked for, or the answer of a query by its path.
genesis object: Returns the genesis document.
genesis_chunked object: Returns a part of a long genesis document, as base64.
block object: Returns the block of a height.
block_by_hash object: Returns the block of a hash.
header object: Returns the header of a height.
header_by_hash object: Returns the header of a block hash.
blockchain object: Returns headers of a range of heights, at most 20, the newest first.
commit object: Returns the signatures of a block.
block_results object: Returns the results and events of a block.
changes object: Returns everything that blocks wrote to the state, for replicas.
snapshots object: Returns the snapshots that a replica can begin with, the newest first.
snapshot_chunk object: Returns a chunk of a snapshot, as base64.
validators object: Returns the validators of a height.
consensus_params object: Returns the limits of blocks that consensus enforces at a height.
tx object: Returns a committed transaction with its result, and a proof if asked for.
tx_search object: Searches transactions by their events.
block_search object: Searches blocks by their events.
broadcast_tx_sync object: Hands a transaction to the pool, and returns the pool's result.
broadcast_tx_async object: Hands a transaction to the pool, and does not wait.
broadcast_tx_commit object: Hands a transaction to the pool, and waits for its block.
check_tx object: Checks a transaction as the pool does, without adding it.
unconfirmed_txs object: Returns transactions of the pool.
num_unconfirmed_txs object: Returns the number of transactions in the pool, and their length.
subscribe object: Subscribes to events over WebSocket.
unsubscribe object: Ends a subscription over WebSocket.
unsubscribe_all object: Ends all subscriptions of this WebSocket.
rpc.discover object: Returns this document.
`

/** Descriptions of parameters by name. */
export const ENGINE_PARAMETERS: Readonly<Record<string, { readonly text: string; readonly example: unknown }>> = {
  height: { text: 'Height; absent or 0: the newest.', example: '1' },
  from: { text: 'First height.', example: '1' },
  count: { text: 'Number of blocks, at most 500.', example: '20' },
  hash: { text: 'Hash, 32 bytes.', example: '1+z+d1TR2VUrPQ8AG7sc4XIjbAYRhVtzMSdhW4AcWUI=' },
  path: { text: 'Path of the query, such as /store/NAME/key or /package.Query/Method.', example: '/store/staking/key' },
  data: { text: 'Key or request, as hexadecimal text.', example: '05' },
  prove: { text: 'Whether the answer has a proof.', example: false },
  chunk: { text: 'Number of the part, from 0.', example: '0' },
  minHeight: { text: 'First height; absent or 0: as far as the answer reaches.', example: '1' },
  maxHeight: { text: 'Last height; absent or 0: the newest.', example: '20' },
  page: { text: 'Number of the page, from 1.', example: '1' },
  per_page: { text: 'Length of the page, 30 by default, at most 100.', example: '30' },
  query: { text: 'Search: conditions on events, joined by AND.', example: 'tx.height>0' },
  order_by: { text: 'Order by height: asc or desc.', example: 'desc' },
  tx: { text: 'Transaction in bytes, as base64.', example: 'CgA=' },
  limit: { text: 'Highest number of transactions, at most 100.', example: '30' },
  evidence: { text: 'Evidence in the JSON of the engine.', example: {} },
  seeds: { text: 'Addresses of nodes: ID@HOST:PORT.', example: [] },
  peers: { text: 'Addresses of peers: ID@HOST:PORT.', example: [] },
  persistent: { text: 'Whether the connection is made again when it ends.', example: false },
  unconditional: { text: 'Whether the peers do not count towards the limit.', example: false },
  private: { text: 'Whether the addresses stay unknown to others.', example: false },
}
