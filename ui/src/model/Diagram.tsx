import { Group, Stack, Switch, Text, Title, useComputedColorScheme, VisuallyHidden } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import dagre from '@dagrejs/dagre'
import { Background, Controls, Handle, MarkerType, Position, ReactFlow, type Edge, type Node, type NodeProps } from '@xyflow/react'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { builderOf } from '../fields/builder'
import type { DraftModel, DraftSchema } from './draft'
import { modelOf } from './draft'
import { kindOf } from './relations'
import { useDraft } from './store'
import '@xyflow/react/dist/style.css'

const WIDTH = 210
const HEAD = 34
const LINE = 20
const MOST_FIELDS = 12

type ModelNode = Node<{ model: DraftModel }, 'model'>

/** All content types with what leads from one to the other. */
export function Diagram() {
  const { t } = useTranslation()
  useDocumentTitle(`${t('model.diagram')} · Quire`)
  const schema = useDraft()
  const scheme = useComputedColorScheme('light')
  const [withComponents, setWithComponents] = useState(false)
  const { nodes, edges, links } = useMemo(() => graphOf(schema, withComponents), [schema, withComponents])
  return (
    <Stack gap="sm" p="md" flex={1} style={{ minHeight: 420 }}>
      <Group justify="space-between">
        <div>
          <Title order={1}>{t('model.diagram')}</Title>
          <Text size="sm" c="dimmed">{t('model.diagram.hint')}</Text>
        </div>
        <Switch size="sm" label={t('model.diagram.withComponents')} checked={withComponents} onChange={(event) => setWithComponents(event.currentTarget.checked)} />
      </Group>
      <div className="quire-diagram" role="group" aria-label={t('model.diagram.label')}>
        <ReactFlow
          key={String(withComponents)}
          defaultNodes={nodes}
          defaultEdges={edges}
          nodeTypes={NODE_TYPES}
          colorMode={scheme}
          fitView
          minZoom={0.2}
          nodesConnectable={false}
          edgesFocusable={false}
          nodesFocusable={false}
          deleteKeyCode={null}
          proOptions={{ hideAttribution: true }}
        >
          <Background />
          <Controls showInteractive={false} />
        </ReactFlow>
      </div>
      <VisuallyHidden>
        <ul aria-label={t('model.diagram.links')}>
          {links.map((link) => <li key={link}>{link}</li>)}
        </ul>
      </VisuallyHidden>
    </Stack>
  )
}

function ModelBox({ data: { model } }: NodeProps<ModelNode>) {
  const { t } = useTranslation()
  const shown = model.fields.slice(0, MOST_FIELDS)
  return (
    <div className="quire-diagram-box">
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <Link to="/model/$uid" params={{ uid: model.uid }} className="quire-diagram-title nodrag">{model.info.displayName}</Link>
      {shown.map((field) => (
        <div key={field.id} className="quire-diagram-field">
          <span className="quire-ellipsis">{field.name}</span>
          <span className="quire-diagram-type quire-ellipsis">{t(builderOf(field.properties).label)}</span>
        </div>
      ))}
      {model.fields.length > MOST_FIELDS && <div className="quire-diagram-field">{t('model.moreChanges', { count: model.fields.length - MOST_FIELDS })}</div>}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  )
}

const NODE_TYPES = { model: ModelBox }
const heightOf = (model: DraftModel) => HEAD + LINE * (Math.min(model.fields.length, MOST_FIELDS + 1)) + 8

/** Boxes and arrows, laid out from left to right. A relation with two sides is one arrow. */
function graphOf(schema: DraftSchema, withComponents: boolean): { nodes: ModelNode[]; edges: Edge[]; links: string[] } {
  const models = Object.values(schema).filter((model) => withComponents || !model.isComponent)
  const graph = new dagre.graphlib.Graph({ multigraph: true }).setGraph({ rankdir: 'LR', nodesep: 28, ranksep: 90 }).setDefaultEdgeLabel(() => ({}))
  for (const model of models) graph.setNode(model.id, { width: WIDTH, height: heightOf(model) })
  const edges: Edge[] = []
  for (const model of models) {
    for (const { id, name, properties } of model.fields) {
      const uids = [properties.target, properties.component, ...(properties.components ?? [])]
      for (const target of uids.map((uid) => modelOf(schema, uid))) {
        const isShown = target !== undefined && models.includes(target)
        if (!isShown || properties.mappedBy !== undefined) continue
        graph.setEdge(model.id, target.id, {}, id)
        const kind = kindOf(properties)
        edges.push({
          id: `${id} ${target.id}`,
          source: model.id,
          target: target.id,
          label: name,
          markerEnd: { type: MarkerType.ArrowClosed },
          markerStart: properties.targetAttribute ? { type: MarkerType.ArrowClosed } : undefined,
          ariaLabel: `${model.info.displayName}.${name} → ${target.info.displayName}${kind ? ` (${kind})` : ''}`,
        })
      }
    }
  }
  dagre.layout(graph)
  const nodes = models.map((model): ModelNode => {
    const at = graph.node(model.id)
    return { id: model.id, type: 'model', data: { model }, position: { x: at.x - WIDTH / 2, y: at.y - heightOf(model) / 2 } }
  })
  // An arrow from a box to itself would lie behind the box.
  return { nodes, edges: edges.filter((edge) => edge.source !== edge.target), links: edges.map((edge) => edge.ariaLabel ?? '') }
}
