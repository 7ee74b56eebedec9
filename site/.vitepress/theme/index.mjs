/** The generator's own look, with room for wide tables. */
import DefaultTheme from 'vitepress/theme'
import './style.css'

export default DefaultTheme
