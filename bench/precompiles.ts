/**
 * Measures the worst known time per gas of every standard precompile. `npm run bench -- precompiles [FORK...]`
 * Prints nanoseconds per gas. At 10 ns, a block of 60,000,000 gas takes 0.6 s.
 */
import { parseFork, rulesOf } from '../src/evm/forks.ts'
import { hostileInputs, measure } from '../test/support/evm/hostile-precompiles.ts'

const names = process.argv.slice(2)
for (const name of names.length > 0 ? names : ['Osaka', 'Berlin']) {
  const fork = parseFork(name)
  if (!fork) throw new Error(`unknown fork ${name}`)
  const rules = rulesOf(fork)
  console.log(`\n${fork}: input, gas with the call, microseconds, ns per gas`)
  const worst = new Map<string, number>()
  for (const input of hostileInputs(rules)) {
    const { gas, ns, nsPerGas } = measure(rules, input, 100)
    const precompile = input.name.split(/,| \d/)[0]!
    worst.set(precompile, Math.max(worst.get(precompile) ?? 0, nsPerGas))
    console.log(
      `${input.name.padEnd(36)} ${gas.toString().padStart(9)} ${(ns / 1000).toFixed(2).padStart(12)} ${nsPerGas.toFixed(1).padStart(8)}`,
    )
  }
  console.log(`\n${fork}: worst ns per gas by precompile`)
  for (const [precompile, nsPerGas] of [...worst].sort((a, b) => b[1] - a[1])) {
    console.log(`${precompile.padEnd(36)} ${nsPerGas.toFixed(1).padStart(8)}`)
  }
}
