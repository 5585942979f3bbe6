import hooks from 'eslint-plugin-react-hooks'
import ts from 'typescript-eslint'

export default ts.config(
  { ignores: ['node_modules', 'src/api/generated.ts', 'scripts', 'postcss.config.cjs'] },
  ...ts.configs.recommended,
  hooks.configs.flat['recommended-latest'] ?? hooks.configs.flat.recommended,
)
