/** Returns code that runs about `steps` steps, in hexadecimal: PUSH4 rounds, then JUMPDEST PUSH1 1 SWAP1 SUB DUP1 PUSH1 5 JUMPI, seven a round. */
export function loopOf(steps: number): string {
  const rounds = Math.floor(steps / 7)
  return `0x63${rounds.toString(16).padStart(8, '0')}5b6001900380600557`
}
