// As much of Leaflet 1.7 as map.js uses, so that its types are checked. It is not served.

declare module '*/leaflet.esm.min.js' {
  export interface Point {
    x: number;
    y: number;
  }
  export interface LatLng {
    lat: number;
    lng: number;
  }
  type Place = [number, number] | LatLng;
  export interface Bounds {
    min: Point;
    max: Point;
  }
  export interface LatLngBounds {
    extend(place: Place | LatLngBounds): this;
    isValid(): boolean;
  }
  export interface PointerEvent {
    latlng: LatLng;
    containerPoint: Point;
    originalEvent: Event;
  }
  export class Map {
    addLayer(layer: Layer): this;
    createPane(name: string): HTMLElement;
    fitBounds(bounds: LatLngBounds, options?: object): this;
    getCenter(): LatLng;
    getContainer(): HTMLElement;
    getPane(name: string): HTMLElement;
    getPixelBounds(): Bounds;
    getSize(): Point;
    getZoom(): number;
    containerPointToLatLng(point: Point | [number, number]): LatLng;
    containerPointToLayerPoint(point: Point | [number, number]): Point;
    hasLayer(layer: Layer): boolean;
    invalidateSize(options?: object): this;
    latLngToContainerPoint(place: Place): Point;
    off(types: string, call: (event: any) => void, context?: object): this;
    on(types: string, call: (event: any) => void, context?: object): this;
    panTo(place: Place, options?: object): this;
    remove(): this;
    removeLayer(layer: Layer): this;
    setView(place: Place, zoom: number, options?: object): this;
  }
  export class Layer {
    addTo(to: Map | LayerGroup): this;
    remove(): this;
    on(types: string, call: (event: any) => void): this;
    onAdd(map: Map): this;
    onRemove(map: Map): this;
    bindTooltip(text: string, options?: object): this;
  }
  export class GridLayer extends Layer {
    constructor(options?: object);
    getPane(): HTMLElement;
    redraw(): this;
  }
  export class LayerGroup extends Layer {
    clearLayers(): this;
    removeLayer(layer: Layer): this;
    eachLayer(call: (layer: any) => void): this;
  }
  export class Path extends Layer {
    getBounds(): LatLngBounds;
    setStyle(style: object): this;
  }
  export class Marker extends Layer {
    dragging?: { enable(): void; disable(): void };
    getElement(): HTMLElement | undefined;
    getLatLng(): LatLng;
    setIcon(icon: object): this;
    setLatLng(place: Place): this;
    setZIndexOffset(offset: number): this;
  }
  export function canvas(options?: object): object;
  export function circleMarker(place: Place, options?: object): Path;
  export function divIcon(options: object): object;
  export function latLngBounds(places: Place[]): LatLngBounds;
  export function layerGroup(): LayerGroup;
  export function map(element: HTMLElement, options: object): Map;
  export function marker(place: Place, options?: object): Marker;
  export function polygon(rings: any, options?: object): Path;
  export function polyline(places: Place[], options?: object): Path;
  export function tileLayer(url: string, options?: object): GridLayer;
  export const control: {
    zoom(options: object): { addTo(map: Map): void };
    scale(options: object): { addTo(map: Map): void };
  };
  export const DomUtil: { setPosition(element: HTMLElement, point: Point): void };
}
