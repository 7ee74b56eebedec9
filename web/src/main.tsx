/** Entry of the console. */
import './styles/main.css'
import { render } from 'preact'
import { followHead } from './api/head.ts'
import { App } from './app.tsx'

followHead()
const root = document.getElementById('console')!
root.textContent = ''
render(<App />, root)
