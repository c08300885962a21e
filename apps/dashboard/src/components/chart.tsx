import { watchSize } from '@svc/page-kit';
import { useEffect, useId, useRef, useState } from 'react';
import { format } from '../text/index.ts';

const HEIGHT_PX = 220;
/** Room for the words at the axes; half of the last day stands beyond the lines. */
const EDGE = { top: 12, end: 30, bottom: 28, start: 44 } as const;
const TICKS = 4;

/** A step of 1, 2 or 5 times a power of ten, so that about four of them reach the value. */
function niceStep(value: number): number {
  const rough = Math.max(value, 1) / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  return Math.max(1, ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power);
}

function useWidth() {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(640);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    return watchSize(element, () => setWidth(Math.max(240, element.clientWidth)));
  }, []);
  return { ref, width };
}

export interface Series {
  readonly name: string;
  /** Told apart by their lines as well. */
  readonly tone: 'accent' | 'good' | 'bad' | 'warning';
  readonly values: readonly number[];
}

export interface ChartProps {
  /** What it shows, in a sentence; caption of the table for screen readers. */
  readonly label: string;
  /** ISO 8601, ascending; two or more. */
  readonly times: readonly string[];
  readonly series: readonly Series[];
  /** Words of a time at the axis; default: its day. */
  readonly tick?: (time: string) => string;
}

/** Counts over time as lines; the same numbers are in a table for screen readers. */
export function Chart({ label, times, series, tick = format.day }: ChartProps) {
  const id = useId();
  const { ref, width } = useWidth();
  const [at, setAt] = useState<number | null>(null);
  const most = Math.max(1, ...series.flatMap(({ values }) => values));
  const step = niceStep(most);
  const top = Math.ceil(most / step) * step;
  const first = Date.parse(times[0] ?? '');
  const span = Math.max(1, Date.parse(times.at(-1) ?? '') - first);
  const inner = { width: width - EDGE.start - EDGE.end, height: HEIGHT_PX - EDGE.top - EDGE.bottom };
  const x = (index: number) => EDGE.start + ((Date.parse(times[index] ?? '') - first) / span) * inner.width;
  const y = (value: number) => EDGE.top + inner.height * (1 - value / top);
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step);
  const every = Math.max(1, Math.ceil(times.length / Math.max(2, Math.floor(inner.width / 110))));
  const nearest = (clientX: number, box: DOMRect) => {
    const wanted = clientX - box.left;
    const distances = times.map((_, index) => Math.abs(x(index) - wanted));
    return distances.indexOf(Math.min(...distances));
  };
  /** The last day would reach beyond the chart. */
  const dayAnchor = (place: number) => (place > width - 30 ? 'end' : 'middle');
  return (
    <figure className="svcd-chart">
      <figcaption className="svcd-row" aria-hidden="true">
        {series.map(({ name, tone, values }) => (
          <span key={name} className="svcd-row svcd-chart-name" data-tone={tone}>
            {name}
            <b>{format.number(values[at ?? values.length - 1] ?? 0)}</b>
          </span>
        ))}
        {at !== null && <span className="svcd-chart-time">{format.dateTime(times[at] ?? '')}</span>}
      </figcaption>
      <div ref={ref}>
        <svg
          width={width}
          height={HEIGHT_PX}
          aria-hidden="true"
          onPointerMove={(event) => setAt(nearest(event.clientX, event.currentTarget.getBoundingClientRect()))}
          onPointerLeave={() => setAt(null)}
        >
          {ticks.map((value) => (
            <g key={value} className="svcd-chart-tick">
              <line x1={EDGE.start} x2={width - EDGE.end} y1={y(value)} y2={y(value)} />
              <text x={EDGE.start - 8} y={y(value) + 4} textAnchor="end">
                {format.number(value)}
              </text>
            </g>
          ))}
          {times.map((time, index) =>
            index % every === 0 ? (
              <text
                key={time}
                className="svcd-chart-day"
                x={x(index)}
                y={HEIGHT_PX - 8}
                textAnchor={dayAnchor(x(index))}
              >
                {tick(time)}
              </text>
            ) : null,
          )}
          {at !== null && (
            <line className="svcd-chart-at" x1={x(at)} x2={x(at)} y1={EDGE.top} y2={EDGE.top + inner.height} />
          )}
          {series.map(({ name, tone, values }) => (
            <g key={name} className="svcd-chart-line" data-tone={tone}>
              <polyline points={values.map((value, place) => `${x(place)},${y(value)}`).join(' ')} />
              {at !== null && <circle cx={x(at)} cy={y(values[at] ?? 0)} r="4" />}
            </g>
          ))}
        </svg>
      </div>
      {/* A table is as large as its content, and Firefox shows a caption beside what is clipped. */}
      <div className="svc-visually-hidden">
        <table aria-labelledby={id}>
          <caption id={id}>{label}</caption>
          <thead>
            <tr>
              <td />
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {times.map((time, index) => (
              <tr key={time}>
                <th scope="row">{format.dateTime(time)}</th>
                {series.map(({ name, values }) => (
                  <td key={name}>{format.number(values[index] ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly tone?: 'accent' | 'good' | 'warning' | 'bad' | 'neutral';
}

/** Counts side by side, each as a part of `whole`: the steps of a funnel, a plan that fills up. */
export function Bars({ bars, whole }: { readonly bars: readonly Bar[]; readonly whole: number }) {
  return (
    <ul className="svcd-bars svcd-plain">
      {bars.map(({ label, value, tone = 'accent' }) => {
        const share = whole === 0 ? 0 : Math.min(1, value / whole);
        return (
          <li key={label}>
            <div className="svcd-row svcd-between svcd-number">
              <span>{label}</span>
              <span>
                {format.number(value)} <span className="svcd-muted">{format.percent(share)}</span>
              </span>
            </div>
            <progress data-tone={tone} aria-hidden="true" value={share} />
          </li>
        );
      })}
    </ul>
  );
}
