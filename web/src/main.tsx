/** Entry of the console. */
import './styles/main.css'
import { render } from 'preact'
import { followHead } from './api/head.ts'
import { App } from './app.tsx'
import { currentPlace, findRoute } from './router.tsx'
import { ROUTES } from './routes.ts'

followHead()
// The code of the page comes while its frame is drawn; a failure is shown where it is used.
findRoute(ROUTES, currentPlace().path)
  ?.route.load()
  .catch(() => {})
const root = document.getElementById('console')!
root.textContent = ''
render(<App />, root)
