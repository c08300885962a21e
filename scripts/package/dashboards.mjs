/**
 * The Grafana dashboards of a release. In a clone: `node scripts/package/dashboards.mjs FOLDER` writes them into a
 * folder.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const selector = (where) => `{${['instance=~"$instance"', where].filter(Boolean).join(',')}}`;
/** A metric of the nodes that are looked at. */
const of = (metric, where) => metric + selector(where);
const rate = (metric, by = 'instance', where = '') => `sum by (${by}) (rate(${of(metric, where)}[$__rate_interval]))`;
const hourly = (metric, by, where) => `sum by (${by}) (increase(${of(metric, where)}[1h]))`;
const quantile = (share, histogram, by = '', where = '') =>
  `histogram_quantile(${share}, ${rate(`${histogram}_bucket`, `le${by && `, ${by}`}`, where)})`;
const quantiles = (histogram, where) =>
  Object.fromEntries([50, 95, 99].map((percent) => [`${percent} %`, quantile(percent / 100, histogram, '', where)]));

const requests = 'svc_http_request_duration_seconds';
const photos = 'svc_inference_task_duration_seconds';
const transactions = 'svc_database_transaction_duration_seconds';
const jobs = 'svc_job_duration_seconds';
const deletions = 'svc_person_expiry_delay_seconds';
const burn = (window) => `svc:slo_bad:rate${window} / svc:slo_all:rate${window} / on (slo) svc:slo_budget:ratio`;

/** A panel: title, description, Grafana's unit, its section of docs/operate/monitoring.md, and queries by their legends. */
const panel = (title, description, unit, runbook, queries) => ({ title, description, unit, runbook, queries });

const service = [
  panel(
    'Error budget left of 30 days',
    'What may still go wrong this month. Below zero the objective is missed.',
    'percentunit',
    'objectives',
    {
      '{{slo}}':
        '1 - avg_over_time(svc:slo_bad:rate5m[30d]) / avg_over_time(svc:slo_all:rate5m[30d]) / on (slo) svc:slo_budget:ratio',
    },
  ),
  panel(
    'Burn rate',
    'How many times faster than allowed the budget is used up: 1 just lasts a month, 14.4 two days.',
    'none',
    'sloburnsfast',
    { '{{slo}}, 1 h': burn('1h'), '{{slo}}, 6 h': burn('6h') },
  ),
  panel('Nodes that can serve', 'As /readyz says, asked at each scrape.', 'short', 'nonodeready', {
    ready: `sum(${of('svc_ready')})`,
    scraped: `count(${of('svc_ready')})`,
  }),
  panel('From start to ready', 'Of each node’s last start; 0 while it starts.', 's', 'nodestartsslowly', {
    '{{instance}}': of('svc_start_duration_seconds'),
  }),
  panel('Requests in progress', 'Open streams included.', 'short', 'eventlooplags', {
    '{{instance}}': of('svc_http_requests_in_progress'),
  }),
  panel('Requests by status', 'Health checks included.', 'reqps', 'internalerrors', {
    '{{status}}': rate(`${requests}_count`, 'status'),
  }),
  panel(
    'Duration of requests',
    'From the request’s head to the last byte of the answer; slow callers count.',
    's',
    'eventlooplags',
    quantiles(requests, 'route=~"/v1/.+"'),
  ),
  panel('Slowest routes, 95 %', 'The ten slowest route patterns.', 's', 'eventlooplags', {
    '{{route}}': `topk(10, ${quantile(0.95, requests, 'route')})`,
  }),
  panel('Problems by code', 'The codes that /docs/errors explains.', 'reqps', 'internalerrors', {
    '{{code}}': `topk(10, ${rate('svc_http_problems_total', 'code')})`,
  }),
  panel('Connections closed unanswered', 'Because SVC_CONNECTIONS were open.', 'cps', 'connectionsrefused', {
    '{{instance}}': rate('svc_http_connections_refused_total'),
  }),
];

const guestsAndDevices = [
  panel(
    'Enrolments by outcome',
    'Photos that went through an inference thread: sealed, or what the photo lacked.',
    'ops',
    'inferencefails',
    { '{{outcome}}': rate(`${photos}_count`, 'outcome') },
  ),
  panel(
    'Duration of enrolments',
    'A photo’s way through the service, the wait for a thread included. The objective is 2 s for 95 %.',
    's',
    'objectives',
    quantiles(photos, 'outcome!~"overloaded|failed"'),
  ),
  panel(
    'Stages of enrolments, 95 %',
    'Where that time goes: a long wait asks for more threads or another node.',
    's',
    'enrolmentsrefused',
    { '{{stage}}': quantile(0.95, 'svc_inference_stage_duration_seconds', 'stage') },
  ),
  panel('Places', 'Enrolments in the service, and how many there may be at once.', 'short', 'enrolmentsrefused', {
    places: `sum(${of('svc_inference_places')})`,
    taken: `sum(${of('svc_inference_places_taken')})`,
    'waiting for a thread': `sum(${of('svc_inference_queue_length')})`,
  }),
  panel('Enrolments refused', 'Because every place was taken: 503 “overloaded”.', 'ops', 'enrolmentsrefused', {
    '{{instance}}': rate('svc_inference_refused_total'),
  }),
  panel('People deleted after their date', 'Within five minutes, and all.', 'ops', 'retentionstopped', {
    'within 5 min': rate(`${deletions}_bucket`, '', String.raw`le=~"300(\\.0)?"`),
    all: rate(`${deletions}_count`, ''),
  }),
  panel(
    'Syncs by kind',
    'Devices that are up to date, that got changes or a whole list, or were told to wipe.',
    'ops',
    'devicesstoppedsyncing',
    { '{{kind}}': rate('svc_syncs_total', 'kind') },
  ),
  panel(
    'Duration of syncs',
    'To the last byte; a whole list over a slow line takes its time. The objective is 0.25 s for 99 %.',
    's',
    'objectives',
    quantiles(requests, 'route="/v1/device/sync",status="200"'),
  ),
  panel('Wipes', 'Devices told to wipe, an hour.', 'short', 'wipesinnumbers', {
    wipes: hourly('svc_syncs_total', '', 'kind="wipe"'),
  }),
];

const inside = [
  panel('Transactions', 'A rule that says no rolls back too.', 'ops', 'databasestarved', {
    '{{outcome}}': rate(`${transactions}_count`, 'outcome'),
    'run again after a conflict': rate('svc_database_transaction_retries_total', ''),
  }),
  panel(
    'Duration of transactions',
    'The wait for a connection included.',
    's',
    'databasestarved',
    quantiles(transactions),
  ),
  panel('Connections', 'Of each node’s pool, and queries that wait for one.', 'short', 'databasestarved', {
    '{{instance}} {{state}}': of('svc_database_pool_connections'),
    '{{instance}} waiting': of('svc_database_pool_waiting'),
  }),
  panel('Runs of jobs, an hour', 'One node takes each run.', 'short', 'jobfails', {
    '{{name}} {{outcome}}': hourly(`${jobs}_count`, 'name, outcome'),
  }),
  panel('Duration of jobs, 95 %', 'By job.', 's', 'jobfails', { '{{name}}': quantile(0.95, jobs, 'name') }),
  panel('Deliveries of webhooks', 'Attempts by what came of them, and deliveries given up.', 'ops', 'webhooksdie', {
    '{{outcome}}': rate('svc_webhook_attempt_duration_seconds_count', 'outcome'),
    'given up': rate('svc_webhook_deliveries_dead_total', ''),
  }),
  panel('Mails', 'Guests’ links, by what came of them.', 'ops', 'mailserveraway', {
    '{{outcome}}': rate('svc_mail_duration_seconds_count', 'outcome'),
  }),
  panel('Processor', 'Of each node: 1 is one core.', 'percentunit', 'eventlooplags', {
    '{{instance}}': rate('process_cpu_seconds_total'),
  }),
  panel('Memory', 'Resident, and the JavaScript heap.', 'bytes', 'eventlooplags', {
    '{{instance}}': of('process_resident_memory_bytes'),
    '{{instance}} heap': of('nodejs_heap_size_used_bytes'),
  }),
  panel('Event loop lag, 99 %', 'How late a node notices what it has to do.', 's', 'eventlooplags', {
    '{{instance}}': of('nodejs_eventloop_lag_p99_seconds'),
  }),
  panel('Garbage collection', 'Share of the time.', 'percentunit', 'eventlooplags', {
    '{{instance}} {{kind}}': rate('nodejs_gc_duration_seconds_sum', 'instance, kind'),
  }),
  panel('Open files', 'Connections are files.', 'short', 'filesrunout', {
    '{{instance}}': of('process_open_fds'),
    '{{instance}} at most': of('process_max_fds'),
  }),
];

const datasource = { type: 'prometheus', uid: `\${datasource}` };

function panelJson({ title, description, unit, runbook, queries }, i) {
  // What is left of a budget is one number, and may be below zero.
  const isOne = runbook === 'objectives' && unit === 'percentunit';
  return {
    ...{ id: i + 1, type: isOne ? 'stat' : 'timeseries', title, description, datasource },
    gridPos: { h: 8, w: 8, x: (i % 3) * 8, y: Math.floor(i / 3) * 8 },
    targets: Object.entries(queries).map(([legendFormat, expr], at) => ({
      ...{ refId: 'ABC'[at], expr, legendFormat, instant: isOne },
    })),
    fieldConfig: { defaults: { unit, ...(isOne ? {} : { min: 0 }) }, overrides: [] },
    links: [{ title: 'Runbook', url: `\${runbooks}#${runbook}`, targetBlank: true }],
  };
}

const dashboardJson = (uid, title, panels) => ({
  ...{ uid, title: `Face check-in: ${title}`, tags: ['svc'], schemaVersion: 39, version: 1, editable: true },
  ...{ graphTooltip: 1, timezone: 'browser', refresh: '30s', time: { from: 'now-6h', to: 'now' } },
  links: [{ type: 'dashboards', title: 'Face check-in', tags: ['svc'], asDropdown: false, includeVars: true }],
  templating: {
    list: [
      { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
      {
        ...{ name: 'instance', label: 'Node', type: 'query', datasource, query: 'label_values(svc_ready, instance)' },
        ...{ refresh: 2, multi: true, includeAll: true, allValue: '.*', current: { text: 'All', value: '$__all' } },
      },
      {
        ...{ name: 'runbooks', label: 'Where docs/operate/monitoring.md is', type: 'textbox' },
        query: 'https://docs.example.org/monitoring.md',
      },
    ],
  },
  panels: panels.map(panelJson),
});

export const dashboards = [
  dashboardJson('svc-service', 'objectives and requests', service),
  dashboardJson('svc-guests-and-devices', 'guests and devices', guestsAndDevices),
  dashboardJson('svc-inside', 'database, jobs and processes', inside),
];

/** Writes a file for each dashboard into a folder. */
export function writeDashboards(folder) {
  mkdirSync(folder, { recursive: true });
  for (const dashboard of dashboards)
    writeFileSync(join(folder, `${dashboard.uid}.json`), `${JSON.stringify(dashboard, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeDashboards(process.argv[2] ?? '.');
